import { randomUUID } from 'node:crypto';
import { messageHistory } from '@tidings/contracts/messaging/events';
import { MessageWriter } from '../testing/message-writer';
import { Messaging } from '../testing/start-messaging';

const BATCH_BYTES_MAX = 4_000_000;

describe('HistorySource.read', () => {
  let messaging: Messaging;
  let writer: MessageWriter;

  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start();
    await messaging.stop();
    writer = await MessageWriter.open(messaging.database.urlOf('messaging'));
  });

  afterAll(async () => {
    await writer.close();
    await messaging.end();
  });

  const read = (position: string) => writer.source.read(writer.database, [{ shard: 0, position }]);

  /** Every batch from the first row on. */
  async function batches() {
    const all: Awaited<ReturnType<typeof read>>[] = [];
    for (let position = '0'; ; position = all.at(-1)!.at(-1)!.position) {
      const batch = await read(position);
      if (batch.length === 0) return all;
      all.push(batch);
    }
  }

  it('reads no more bytes than a batch may have, also from highly compressed rows', async () => {
    const messages = Array.from({ length: 20 }, () => writer.routed(randomUUID(), { html: 'x'.repeat(500_000) }));
    await writer.route(...messages);

    const sizes = (await batches()).map((batch) => batch.filter(({ topic }) => topic === messageHistory.topic).length / 4);

    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(20);
    const rowsMax = Math.ceil(BATCH_BYTES_MAX / 500_000);
    expect(sizes).toEqual([rowsMax, rowsMax, 20 - 2 * rowsMax]);
    await messaging.rows('truncate messaging.history');
  });

  it('reads past a row that is larger than a batch', async () => {
    const messages = [1, 2, 3].map(() => writer.routed(randomUUID(), { data: { text: 'x'.repeat(5_000_000) } }));
    await writer.route(...messages);

    const read = await batches();

    expect(read.map((batch) => (batch[0]!.payload as { messageId: string }).messageId)).toEqual(messages.map(({ messageId }) => messageId));
    await messaging.rows('truncate messaging.history');
  });

  it('has the record of a message once in a batch, after its last event', async () => {
    const message = writer.routed(randomUUID());
    await writer.route(message);
    for (const leaf of [0, 1, 2]) await writer.finish(message, leaf);

    const events = await read('0');

    expect(events.map(({ id }) => id.slice(message.messageId.length))).toEqual([...upTo(10).map((n) => `/${n}`), '/status/10']);
    expect(events.map(({ sequence }) => sequence)).toEqual([...upTo(10).map(String), '10']);
    await messaging.rows('truncate messaging.history');
  });

  it('has the record with the first events, and again with a later event', async () => {
    const message = writer.routed(randomUUID());
    await writer.route(message);
    const [early] = (await read('0')).slice(-1);
    await writer.finish(message, 0);

    const late = await read(early!.position);

    expect(early).toMatchObject({ sequence: '4', payload: { message: { status: 'ROUTED' } } });
    expect(late.at(-1)).toMatchObject({ sequence: '6', payload: { message: { status: 'DELIVERED' } } });
  });
});

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
