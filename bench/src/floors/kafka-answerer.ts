import type { Consumer, Producer } from 'kafkajs';
import { serve } from '../worker';
import { CALL_HEADER, consumeWhole, kafkaOf, MESSAGE_BYTES, OneInFlight, type RoundTripTopics } from './kafka-round-trip';

export type KafkaAnswererCommands = { answer(topics: RoundTripTopics): Promise<void> };

const ANSWER = Buffer.alloc(MESSAGE_BYTES, 'a');

let consumer: Consumer | undefined;
let producer: Producer | undefined;

/** The answering half of the bare round trip: every request gets the same bytes. */
async function answer({ brokers, requests, replies }: RoundTripTopics): Promise<void> {
  const kafka = kafkaOf(brokers, 'bench-answerer');
  producer = kafka.producer({ allowAutoTopicCreation: false });
  await producer.connect();
  const answers = new OneInFlight(producer, replies, end);
  consumer = await consumeWhole(kafka, requests, ({ headers }) => {
    answers.add({ value: ANSWER, headers: { [CALL_HEADER]: headers?.[CALL_HEADER] } });
  });
}

/** Ends the process: its exit fails the calls that wait for an answer. */
function end(error: unknown): void {
  console.error(error);
  process.exit(1);
}

serve<KafkaAnswererCommands>({ answer }, async () => {
  await consumer?.disconnect();
  await producer?.disconnect();
});
