import {
  DeadLetterRangeOf,
  DeadLetterRecord,
  DeadLettersOf,
  MissingDeadLetters,
  NamedDeadLetter,
  NamedDeadLetters,
  PutBackRecords,
  RedrivenRecords,
} from './dead-letters';
import { defineOperations, Nothing, type ServiceName } from './operation';

/** The services with a database and a log. */
export type AnsweringService = Exclude<ServiceName, 'gateway'>;

/** The operations of a service on dead letters. */
export type DeadLetterOperations = ReturnType<typeof deadLetterOperations>;

/**
 * The operations of a service on the dead letters of the topics that it reads: the gateway composes redriving of them, because another
 * service may be the one that writes the topic.
 */
export function deadLetterOperations(service: AnsweringService) {
  return defineOperations(`${service}.dead-letters`, 'internal', {
    /** Answers 404 for a topic that the service does not read. */
    range: {
      repeatable: true,
      summary: 'List dead letters of a topic, the oldest first',
      request: DeadLetterRangeOf,
      response: DeadLettersOf,
    },
    /** Answers 404 for a dead letter that is missing. */
    retrieve: {
      repeatable: true,
      summary: 'Get a dead letter with its record',
      request: NamedDeadLetter,
      response: DeadLetterRecord,
    },
    /** Records in the audit events that the named dead letters are redriven. They stay until `remove`. */
    redrive: {
      audit: 'own',
      summary: 'Get the records of dead letters that are redriven',
      request: NamedDeadLetters,
      response: RedrivenRecords,
    },
    /** Signs nothing. Repeated, it appends the records twice, under the same ids. */
    putBack: {
      summary: 'Append records to a topic of the service as they were',
      request: PutBackRecords,
      response: Nothing,
    },
    remove: {
      summary: 'Remove dead letters whose records were put back',
      request: NamedDeadLetters,
      response: Nothing,
    },
    discard: {
      audit: 'own',
      summary: 'Remove dead letters without putting their records back',
      request: NamedDeadLetters,
      response: MissingDeadLetters,
    },
  });
}
