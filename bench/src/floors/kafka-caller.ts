import type { Consumer, Message, Producer } from 'kafkajs';
import { askFor, type Stretch } from '../callers';
import { serve } from '../worker';
import { CALL_HEADER, consumeWhole, kafkaOf, MESSAGE_BYTES, OneInFlight, type RoundTripTopics, untilAnswered } from './kafka-round-trip';

export type KafkaCallerCommands = {
  /** Resolves when calls are answered. */
  connect(topics: RoundTripTopics): Promise<void>;
  call(run: { callers: number; durationMs: number }): Promise<Stretch>;
};

const QUESTION = Buffer.alloc(MESSAGE_BYTES, 'q');
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
  consumer = await consumeWhole(kafka, replies, take);
  await untilAnswered(() => Promise.race([ask().then(() => true), after(FIRST_ANSWER_MS_MAX)]), READY_MS_MAX);
}

function ask(): Promise<undefined> {
  const id = String(next++);
  return new Promise((resolve) => {
    waiting.set(id, () => resolve(undefined));
    requests!.add({ value: QUESTION, headers: { [CALL_HEADER]: id } });
  });
}

function take({ headers }: Message): void {
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

serve<KafkaCallerCommands>({ connect, call: ({ callers, durationMs }) => askFor(durationMs, callers, ask) }, async () => {
  await consumer?.disconnect();
  await producer?.disconnect();
});
