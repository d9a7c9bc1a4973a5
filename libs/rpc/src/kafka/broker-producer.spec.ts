import '@tidings/testing/quiet';
import type { Kafka, Producer } from 'kafkajs';
import { waitUntil } from '@tidings/testing/wait-until';
import { BrokerProducer } from './broker-producer';
import type { Outcome } from './coalescer';

const LOST_MS = 20;

it('continues with another connection when kafkajs loses a batch', async () => {
  const producers: { sent: number; isDisconnected: boolean }[] = [];
  const kafka = {
    producer: () => {
      const state = { sent: 0, isDisconnected: false };
      const isFirst = producers.push(state) === 1;
      return {
        connect: () => Promise.resolve(),
        disconnect: () => Promise.resolve(void (state.isDisconnected = true)),
        sendBatch: () => {
          state.sent += 1;
          return isFirst ? new Promise(() => {}) : Promise.resolve([]);
        },
      } as unknown as Producer;
    },
  } as Kafka;
  const broker = new BrokerProducer(
    kafka,
    () => undefined,
    () => Promise.resolve(),
    LOST_MS,
  );
  const outcomes: Outcome[] = [];
  const record = { topic: 'requests', size: 1, notAfter: Infinity, settled: (outcome: Outcome) => outcomes.push(outcome) };
  const message = { partition: 0, value: '{}' };

  broker.coalescer.add({ ...record, message, repeatable: true });
  broker.coalescer.add({ ...record, message, repeatable: false });
  await waitUntil(() => outcomes.length === 2, { what: 'both outcomes' });
  await broker.close();

  expect(outcomes).toEqual(['unknown', 'acknowledged']);
  expect(producers).toEqual([
    { sent: 1, isDisconnected: true },
    { sent: 1, isDisconnected: true },
  ]);
});
