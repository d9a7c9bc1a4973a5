import '@tidings/testing/quiet';
import { Logger } from '@nestjs/common';
import { type Kafka, KafkaJSProtocolError, type Producer } from 'kafkajs';
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

it.each([
  [15_000, 0],
  [0, 1],
])('warns of refusals that last longer than %d ms: a new leader refuses at first', async (refusalsMs, warningCount) => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  const refusal = new KafkaJSProtocolError({
    type: 'NOT_LEADER_FOR_PARTITION',
    code: 6,
    retriable: true,
    message: 'not the leader',
  } as never);
  let failures = 2;
  const producer = {
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    sendBatch: () => (failures-- > 0 ? Promise.reject(refusal) : Promise.resolve([])),
  } as unknown as Producer;
  const broker = new BrokerProducer(
    { producer: () => producer } as unknown as Kafka,
    () => undefined,
    () => Promise.resolve(),
    LOST_MS,
    refusalsMs,
  );
  let outcome: Outcome | undefined;

  broker.coalescer.add({
    ...{ topic: 'requests', size: 1, notAfter: Infinity, message: { partition: 0, value: '{}' }, repeatable: true },
    settled: (settled) => (outcome = settled),
  });
  await waitUntil(() => outcome !== undefined, { what: 'the outcome' });
  await broker.close();

  expect([outcome, warn.mock.calls.length]).toEqual(['acknowledged', warningCount]);
  warn.mockRestore();
});
