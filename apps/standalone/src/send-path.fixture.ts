/** A file that a message goes through, and how the message gets there from the file before. */
export interface Hop {
  /** From the root of the tree. */
  readonly file: string;
  /** The function that has the message: a method of an exported class, or an exported function. */
  readonly function: string;
  /** `call`: from the file before. `queue`: from a queue that the file before filled. `commit`: once the file before has committed it. */
  readonly by: 'call' | 'queue' | 'commit';
  /** It calls this generator of the file before, and gets the message as the next value. */
  readonly pulls?: string;
}

/** Most hops from the handler of `POST /send` to the socket. */
export const HOPS_MAX = 12;

const ACCEPT: readonly Hop[] = [
  { file: 'apps/gateway/src/send/send.handlers.ts', function: 'accept', by: 'call' },
  { file: 'libs/events/src/queued-event-log.ts', function: 'append', by: 'call' },
];

const PROCESS: readonly Hop[] = [
  { file: 'libs/events/src/consumption.ts', function: 'handle', by: 'call', pulls: 'batches' },
  { file: 'apps/messaging/src/accept/router.ts', function: 'route', by: 'call' },
  { file: 'apps/messaging/src/deliver/processor.ts', function: 'process', by: 'call' },
];

const CALL: readonly Hop[] = [
  { file: 'apps/messaging/src/deliver/provider-calls.ts', function: 'make', by: 'call' },
  { file: 'libs/providers/src/smtp/smtp-provider.ts', function: 'send', by: 'call' },
  { file: 'libs/providers/src/smtp/smtp-connection.ts', function: 'exchange', by: 'call' },
];

/** The files that have a send to one user in hand, from the handler to the socket, with the event log in PostgreSQL. */
export const SEND_PATH: readonly Hop[] = [
  ...ACCEPT,
  { file: 'libs/events/src/postgres/writer.ts', function: 'append', by: 'queue' },
  { file: 'libs/events/src/postgres/group-source.ts', function: 'batches', by: 'commit' },
  ...PROCESS,
  { file: 'apps/messaging/src/deliver/dispatcher.ts', function: 'acceptUnstored', by: 'call' },
  ...CALL,
];

/** The same with the event log in Kafka. */
export const SEND_PATH_OVER_KAFKA: readonly Hop[] = [
  ...ACCEPT,
  { file: 'libs/events/src/kafka/record-producer.ts', function: 'append', by: 'queue' },
  { file: 'libs/kafka/src/group-reader.ts', function: 'deliver', by: 'commit' },
  { file: 'libs/events/src/kafka/group-source.ts', function: 'onFetched', by: 'call' },
  ...PROCESS,
  { file: 'apps/messaging/src/record/step-store.ts', function: 'storeSteps', by: 'call' },
  { file: 'apps/messaging/src/deliver/dispatcher.ts', function: 'accept', by: 'commit' },
  ...CALL,
];
