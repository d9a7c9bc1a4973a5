import {
  DeadLetterPage,
  DeadLetterRecord,
  DeadLettersStep,
  DeadLettersStepped,
  NamedDeadLetter,
  PageDeadLetters,
} from '@tidings/contracts/core/dead-letters';
import { defineOperations, Nothing } from '@tidings/contracts/core/operation';

/** What operators do with dead letters, composed of the operations of the services. */
export const deadLetters = defineOperations('gateway.dead-letters', 'internal', {
  page: { summary: 'List the dead letters that wait', request: PageDeadLetters, response: DeadLetterPage },
  retrieve: { summary: 'Get a dead letter with its record', request: NamedDeadLetter, response: DeadLetterRecord },
  redrive: { mayConflict: true, summary: 'Put the record of a dead letter back as it was', request: NamedDeadLetter, response: Nothing },
  discard: { summary: 'Remove a dead letter', request: NamedDeadLetter, response: Nothing },
  redriveStep: {
    summary: 'Put the records of the dead letters that wait back, one step',
    request: DeadLettersStep,
    response: DeadLettersStepped,
  },
  discardStep: { summary: 'Remove the dead letters that wait, one step', request: DeadLettersStep, response: DeadLettersStepped },
});
