import '@tidings/testing/quiet';
import { Logger } from '@nestjs/common';
import { waitUntil } from '@tidings/testing/wait-until';
import type { Kafka } from 'kafkajs';
import { GroupReader } from './group-reader';

type Listener = (event: { payload: unknown }) => void;

/** A cluster whose consumers fail as they do while a cluster starts; `emit` raises an event of the latest one. */
function failingKafka(): { kafka: Kafka; emit(name: string, payload: unknown): void } {
  let listeners: Record<string, Listener[]> = {};
  const events = new Proxy({}, { get: (_, name) => name });
  const consumer = {
    events,
    on: (name: string, listener: Listener) => void (listeners[name] ??= []).push(listener),
    connect: () => Promise.reject(new Error('This server is not the leader')),
    disconnect: () => Promise.resolve(),
    resume: () => undefined,
    pause: () => {
      throw new Error('Consumer group was not initialized, consumer#run must be called first');
    },
  };
  const kafka = { consumer: () => ((listeners = {}), { ...consumer }) } as unknown as Kafka;
  return { kafka, emit: (name, payload) => listeners[name]?.forEach((listener) => listener({ payload })) };
}

describe('A group member whose consumer is replaced', () => {
  let reader: GroupReader;
  const warned = jest.spyOn(Logger.prototype, 'warn');
  const debugged = jest.spyOn(Logger.prototype, 'debug');

  beforeEach(() => [warned, debugged].forEach((spy) => spy.mockClear()));
  afterEach(() => reader.stop());
  afterAll(() => jest.restoreAllMocks());

  const start = (kafka: Kafka): void => {
    reader = new GroupReader({ kafka, groupId: 'g', topic: 't', onBatch: () => undefined });
    reader.start().catch(() => undefined); // rejects when stopped
  };

  it('logs it at debug during the start, and warns when the start takes long', async () => {
    start(failingKafka().kafka);

    await waitUntil(() => debugged.mock.calls.length > 1, { what: 'two failures' });
    expect(debugged.mock.calls[0]![0]).toMatch(/failed and is restarted \(failure 1 in a row\): This server is not the leader/);
    expect(warned).not.toHaveBeenCalled();

    const now = performance.now.bind(performance);
    const later = jest.spyOn(performance, 'now').mockImplementation(() => now() + 16_000);
    await waitUntil(() => warned.mock.calls.length > 0, { what: 'a warning' });
    later.mockRestore();
  });

  it('warns at once when it had joined its group before', async () => {
    const { kafka, emit } = failingKafka();
    start(kafka);
    emit('GROUP_JOIN', { memberAssignment: { t: [0] } });

    await waitUntil(() => warned.mock.calls.length > 0, { what: 'a warning' });

    expect(debugged).not.toHaveBeenCalled();
  });

  it('pauses before it has joined its group', () => {
    start(failingKafka().kafka);
    expect(() => reader.throttle(1)).not.toThrow();
  });
});
