import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@tidings/testing/database';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { type ClaimedPosition, ConsumerPositions } from './consumer-positions';
import { CreateConsumerPositions1796083200000 } from './consumer-positions.migrations';
import { openDataSource } from './data-source';
import { Database } from './database';

describe('Positions of consumers', () => {
  let testDatabase: TestDatabase;
  let dataSource: DataSource;
  let positions: ConsumerPositions;
  let admin: Client;
  const consumer = { topic: 'tidings.spec.v1', group: 'tidings.spec' };

  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    admin = new Client(testDatabase.adminUrl);
    await admin.connect();
    const migrations = [CreateConsumerPositions1796083200000];
    dataSource = await openDataSource({ databaseUrl: testDatabase.urlOf('identity'), schema: 'identity', entities: [], migrations });
    positions = new ConsumerPositions(new Database(dataSource));
  });
  beforeEach(() => void (consumer.group = `tidings.spec.${randomUUID()}`));
  afterAll(async () => {
    await dataSource.destroy();
    await admin.end();
    await testDatabase.drop();
  });

  const claim = async (partition = 0) => (await positions.claim(consumer, [partition]))[0]!;
  const move = ({ partition, epoch, server, nextOffset }: ClaimedPosition, after: string, seenAt: string | null = null) =>
    positions.move(consumer, [{ partition, epoch, server, before: nextOffset, after, seenAt }]);
  const stored = async () => {
    const { rows } = await admin.query<{ next_offset: string | null; seen_at: string | null }>(
      'select next_offset, seen_at from identity.consumer_positions where consumer_group = $1 order by partition',
      [consumer.group],
    );
    return rows.map(({ next_offset, seen_at }) => [next_offset, seen_at]);
  };

  it('are unknown at first, and found by the next claim once they were moved', async () => {
    const first = await claim();
    expect(first).toMatchObject({ partition: 0, nextOffset: null, seenAt: null });

    expect(await move(first, '7', '1000')).toEqual(new Set([0]));

    expect(await claim()).toMatchObject({ nextOffset: '7', seenAt: '1000' });
  });

  it('move only from the value that the member stored or found', async () => {
    const found = await claim();
    await move(found, '7');

    expect(await move(found, '9')).toEqual(new Set());
    expect(await move({ ...found, nextOffset: '7' }, '9')).toEqual(new Set([0]));

    await admin.query('update identity.consumer_positions set next_offset = 3 where consumer_group = $1', [consumer.group]);
    expect(await move({ ...found, nextOffset: '9' }, '10')).toEqual(new Set());
    expect(await stored()).toEqual([['3', null]]);
  });

  it('are not moved by an earlier owner of the partition, neither back nor ahead', async () => {
    const earlier = await claim();
    await move(earlier, '7');
    const owner = await claim();

    expect(await move({ ...earlier, nextOffset: '7' }, '5')).toEqual(new Set());
    expect(await move({ ...earlier, nextOffset: '7' }, '9')).toEqual(new Set());
    expect(await move(owner, '8')).toEqual(new Set([0]));

    expect(await stored()).toEqual([['8', null]]);
  });

  it('are not moved for effects in another running database', async () => {
    const found = await claim();
    const otherServer = { ...found, server: '2001-01-01 00:00:00+00' };

    expect(await move(otherServer, '7')).toEqual(new Set());
    await admin.query('update identity.consumer_positions set server_started_at = $2 where consumer_group = $1', [
      consumer.group,
      otherServer.server,
    ]);
    expect(await move(found, '7')).toEqual(new Set());
    expect(await move(otherServer, '7')).toEqual(new Set());
  });

  it('go back on request of their owner, and keep the latest time', async () => {
    const found = await claim();
    await move(found, '7', '1000');

    await move({ ...found, nextOffset: '7' }, '2', '500');

    expect(await stored()).toEqual([['2', '1000']]);
  });

  it('of several partitions move in one statement, each for itself; a check changes none', async () => {
    const claims = await positions.claim(consumer, [0, 1, 2]);
    await claim(1);

    const moves = claims.map(({ partition, epoch, server, nextOffset }) => ({ partition, epoch, server, before: nextOffset }));
    expect(await positions.check(consumer, moves)).toEqual(new Set([0, 2]));
    expect(await positions.move(consumer, moves.map((one) => ({ ...one, after: '5', seenAt: null })))).toEqual(new Set([0, 2])); // prettier-ignore

    expect(await stored()).toEqual([
      ['5', null],
      [null, null],
      ['5', null],
    ]);
  });
});
