import type { Consumer, Message, Producer } from 'kafkajs';
import { callRepeatedly, type CallTimings } from '../callers';
import { serve } from '../worker';
import {
  CALL_HEADER,
  consumeWhole,
  kafkaOf,
  MESSAGE_BYTES,
  OneInFlight,
  type RoundTripTopics,
  retryUntilAnswered,
} from './kafka-round-trip';

export type KafkaCallerCommands = {
  /** Resolves when a first call was answered. */
  connect(topics: RoundTripTopics): Promise<void>;
  call(run: { callers: number; durationMs: number }): Promise<CallTimings>;
};

const REQUEST = Buffer.alloc(MESSAGE_BYTES, 'q');
const READY_MS_MAX = 30_000;
const FIRST_ANSWER_MS_MAX = 1_000;

let consumer: Consumer | undefined;
let producer: Producer | undefined;
let requests: OneInFlight | undefined;
const waiting = new Map<string, () => void>();
let next = 0;

/** The calling half of the bare round trip. */
async function connect({ brokers, requests: topic, replies }: RoundTripTopics): Promise<void> {
  const kafka = kafkaOf(brokers, 'bench-caller');
  producer = kafka.producer({ allowAutoTopicCreation: false });
  await producer.connect();
  requests = new OneInFlight(producer, topic, end);
  consumer = await consumeWhole(kafka, replies, receive);
  await retryUntilAnswered(() => Promise.race([callOnce().then(() => true), after(FIRST_ANSWER_MS_MAX)]), READY_MS_MAX);
}

function callOnce(): Promise<undefined> {
  const id = String(next++);
  return new Promise((resolve) => {
    waiting.set(id, () => resolve(undefined));
    requests!.add({ value: REQUEST, headers: { [CALL_HEADER]: id } });
  });
}

function receive({ headers }: Message): void {
  const id = String(headers?.[CALL_HEADER]);
  const answered = waiting.get(id);
  waiting.delete(id);
  answered?.();
}

const after = (ms: number) => new Promise<false>((resolve) => setTimeout(resolve, ms, false));

function end(error: unknown): void {
  console.error(error);
  process.exit(1);
}

serve<KafkaCallerCommands>({ connect, call: ({ callers, durationMs }) => callRepeatedly(durationMs, callers, callOnce) }, async () => {
  await consumer?.disconnect();
  await producer?.disconnect();
});
