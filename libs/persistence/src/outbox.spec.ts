import { Pool } from 'pg';
import { expectIndexed } from '@tidings/testing/explain';
import { latch } from '@tidings/testing/latch';
import { waitUntil } from '@tidings/testing/wait-until';
import { deleteEvents, EVENT_BYTES_MAX } from './outbox';
import { type Member, messageIds, NO_SWEEP_MS, type Service, startService, step, stepNoted, stepMade } from './outbox.fixture';
import { shardOf, SHARDS } from './shards';
import { PUBLISH_HOOK_ORDER, type Transaction } from './transaction';

describe('an outbox', () => {
  let service: Service;
  let member: Member;

  beforeEach(async () => {
    service = await startService();
    member = await service.member();
  });

  afterEach(async () => {
    await service.stop();
  });

  const add = (tx: Transaction, messageId: string, n = 1) => member.outbox.add(tx, stepMade, { payload: step(messageId, n) });
  const commit = (messageId: string, n = 1) => member.database.transaction((tx) => add(tx, messageId, n));
  const startRelay = async (sweepIntervalMs = NO_SWEEP_MS) => {
    const relay = member.relay({ sweepIntervalMs });
    relay.start();
    await waitUntil(() => relay.shards.length === SHARDS, { what: 'a relay that owns every shard' });
    return relay;
  };
  const left = async () => (await service.admin.query('SELECT count(*)::int AS count FROM messaging.outbox')).rows as { count: number }[];

  it('publishes committed events and removes their rows', async () => {
    await startRelay();
    const id = await commit('a');

    await service.log.waitFor('a1');

    expect(service.log.records).toEqual([
      { id, key: 'w:a', payload: step('a'), sequence: expect.stringMatching(/^\d+$/) as unknown, topic: stepMade.topic },
    ]);
    await waitUntil(async () => (await left())[0]!.count === 0, { what: 'an empty outbox' });
  });

  it('draws higher numbers than ever before once its database was set back, when it jumps ahead', async () => {
    await member.outbox.jumpAhead();
    await commit('a');
    const drawn = async () => {
      const { rows } = await service.admin.query<{ last: string }>('SELECT last_value AS last FROM messaging.outbox_sequence');
      return BigInt(rows[0]!.last);
    };
    const before = await drawn();

    await service.admin.query(`SELECT setval('messaging.outbox_sequence', 1)`);
    await Promise.all([member.outbox.jumpAhead(), member.outbox.jumpAhead()]);
    await commit('b');

    expect(await drawn()).toBeGreaterThan(before);
  });

  it('jumps ahead when its relay reconnects, as to another server', async () => {
    await startRelay();
    await service.admin.query(`SELECT setval('messaging.outbox_sequence', 1)`);
    await service.admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tidings-relay' AND datname = current_database()`); // prettier-ignore

    await waitUntil(
      async () => {
        const { rows } = await service.admin.query<{ last: string }>('SELECT last_value AS last FROM messaging.outbox_sequence');
        return BigInt(rows[0]!.last) > 1_000_000_000_000_000n;
      },
      { what: 'a number from the clock' },
    );
  });

  it('knows the age of its oldest waiting event', async () => {
    expect(await member.outbox.oldestAge()).toBe(0);
    await commit('a');
    await commit('b');
    await service.admin.query(`update messaging.outbox set at = at - interval '1 hour' where key = 'w:b'`);

    expect(Math.floor((await member.outbox.oldestAge()) / 3_600)).toBe(1);

    await startRelay();
    await waitUntil(async () => (await left())[0]!.count === 0, { what: 'an empty outbox' });
    expect(await member.outbox.oldestAge()).toBe(0);
  });

  it('deletes published rows by index, however many events wait', async () => {
    await service.admin.query(
      `insert into messaging.outbox (shard, sequence, event_id, topic, key)
       select n % 4, nextval('messaging.outbox_sequence'), n::text, $1, 'w:a' from generate_series(1, 20000) as n`,
      [stepMade.topic],
    );
    const run = async <Row extends object>(text: string, values: unknown[]): Promise<Row[]> => {
      await service.admin.query('set search_path to messaging');
      return (await service.admin.query(text, values)).rows as Row[];
    };
    const published = [
      [0, 1, 2, 3],
      [400, 400, 400, 400],
    ];
    await expectIndexed(run, deleteEvents, published);
    await service.admin.query('analyze messaging.outbox');
    await expectIndexed(run, deleteEvents, published);
  });

  it('publishes nothing that was rolled back', async () => {
    await startRelay();
    const failed = member.database.transaction(async (tx) => {
      await add(tx, 'lost');
      throw new Error('no');
    });

    await expect(failed).rejects.toThrow('no');
    await commit('stored');

    await service.log.waitFor('stored1');
    expect(service.log.names).toEqual(['stored1']);
  });

  it('publishes the events of a transaction in the order they were added, each on its topic', async () => {
    await startRelay();
    await member.database.transaction(async (tx) => {
      await add(tx, 'a', 1);
      await member.outbox.add(tx, stepNoted, { id: 'a note', payload: step('a', 1) });
      await add(tx, 'a', 2);
      await member.outbox.add(tx, stepNoted, { payload: null, key: 'w:a' });
    });

    await waitUntil(() => service.log.records.length === 4);
    const of = (topic: string) => service.log.records.filter((record) => record.topic === topic);
    expect(of(stepMade.topic)).toMatchObject([{ payload: { n: 1 } }, { payload: { n: 2 } }]);
    expect(of(stepNoted.topic)).toMatchObject([
      { id: 'a note', payload: { n: 1 } },
      { key: 'w:a', payload: null },
    ]);
  });

  it('carries any text', async () => {
    await startRelay();
    const odd = 'NUL \0, quote ", backslash \\, {brace}, lone \ud800, NULL, 🙂';
    await member.database.transaction((tx) => member.outbox.add(tx, stepMade, { payload: { ...step('a'), messageId: odd }, key: 'w:odd' }));

    await waitUntil(() => service.log.records.length === 1);

    expect(service.log.records[0]!.payload).toEqual({ ...step('a'), messageId: odd });
  });

  it.each([
    ['a tombstone without a key', { payload: null }, /needs its key/],
    ['an id that is too long', { id: 'x'.repeat(65), payload: step('a') }, /1 to 64 characters/],
    [
      'an event above the log’s limit',
      { payload: { ...step('a'), messageId: 'ä'.repeat(EVENT_BYTES_MAX / 2) }, key: 'k' },
      /more than 1000000/,
    ],
  ])('refuses %s, and publishes nothing of the transaction', async (_, event, message) => {
    const refused = member.database.transaction((tx) => member.outbox.add(tx, stepMade, event));

    await expect(refused).rejects.toThrow(message);
    await expect(left()).resolves.toEqual([{ count: 0 }]);
  });

  it('publishes more events than a batch has', async () => {
    const count = 3_000;
    await member.database.transaction(async (tx) => {
      for (let n = 1; n <= count; n++) await add(tx, 'a', n);
    });
    await startRelay();

    await waitUntil(() => service.log.records.length === count);

    expect(service.log.records.map(({ payload }) => (payload as { n: number }).n)).toEqual(
      Array.from({ length: count }, (_, index) => index + 1),
    );
  });

  it('publishes large events in small batches', async () => {
    const sizes: number[] = [];
    service.log.before = (_, events) => void sizes.push(events.length);
    await member.database.transaction(async (tx) => {
      for (let n = 1; n <= 5; n++) await member.outbox.add(tx, stepMade, { payload: { ...step('x'.repeat(600_000)), n }, key: 'k' });
    });
    await startRelay();

    await waitUntil(() => service.log.records.length === 5);

    expect(sizes).toEqual([2, 2, 1]);
  });

  describe('preserves the order of commits', () => {
    /** Writes an event and commits only when `finish` is called. */
    const commitSlowly = (messageId: string) => {
      const written = latch();
      const mayCommit = latch();
      const committed = member.database.transaction(async (tx) => {
        await add(tx, messageId);
        tx.beforeCommit(async () => {
          written.open();
          await mayCommit.opened;
        }, PUBLISH_HOOK_ORDER + 1);
      });
      return { written: written.opened, finish: mayCommit.open, committed };
    };

    it('when a slow commit comes between two fast ones of one shard', async () => {
      const [fast, slow, other] = messageIds(3, 'same') as [string, string, string];
      await startRelay();
      await commit(fast);
      const slowCommit = commitSlowly(slow);
      await slowCommit.written;
      const otherCommit = commit(other);
      await waitUntil(async () => {
        const { rows } = await service.admin.query(
          `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        );
        return rows.length === 1;
      });
      await service.log.waitFor(`${fast}1`);

      slowCommit.finish();
      await Promise.all([slowCommit.committed, otherCommit]);

      await service.log.waitFor(`${other}1`);
      expect(service.log.names).toEqual([`${fast}1`, `${slow}1`, `${other}1`]);
    });

    it('when a slow commit is overtaken in another shard, and is still published', async () => {
      const [slow, other] = messageIds(2, 'different') as [string, string];
      await startRelay();
      const slowCommit = commitSlowly(slow);
      await slowCommit.written;

      await commit(other);
      await service.log.waitFor(`${other}1`);
      slowCommit.finish();
      await slowCommit.committed;

      await service.log.waitFor(`${slow}1`);
      const [first, second] = service.log.records.map(({ sequence }) => BigInt(sequence)) as [bigint, bigint];
      expect(first).toBeGreaterThan(second); // the lower number became visible later, and was not skipped
    });

    it('without locking the shard while other hooks of the transaction run', async () => {
      const [busy, other] = messageIds(2, 'same') as [string, string];
      await startRelay();
      const working = latch();
      const mayCommit = latch();
      const busyCommit = member.database.transaction(async (tx) => {
        await add(tx, busy);
        tx.beforeCommit(async () => {
          working.open();
          await mayCommit.opened;
        });
      });
      await working.opened;

      await commit(other);
      await service.log.waitFor(`${other}1`);
      mayCommit.open();
      await busyCommit;

      await service.log.waitFor(`${busy}1`);
    });

    it('when a transaction starts first and updates the message last', async () => {
      await member.database.query(`CREATE TABLE message (id text PRIMARY KEY, n int NOT NULL); INSERT INTO message VALUES ('a', 0)`);
      const update = async (tx: Transaction) => {
        const [{ n }] = (await tx.query(`UPDATE message SET n = n + 1 WHERE id = 'a' RETURNING n`)) as [{ n: number }];
        await add(tx, 'a', n);
        return n;
      };
      await startRelay();
      const started = latch();
      const mayUpdate = latch();
      const early = member.database.transaction(async (tx) => {
        await tx.query('SELECT pg_current_xact_id()'); // gives it the lower transaction id
        await add(tx, 'early');
        started.open();
        await mayUpdate.opened;
        return update(tx);
      });
      await started.opened;

      const late = await member.database.transaction(update);
      mayUpdate.open();

      expect([late, await early]).toEqual([1, 2]);
      await service.log.waitFor('a1', 'a2', 'early1');
      expect(service.log.names.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2']);
    });

    it('without waiting for an old transaction in this or another database of the cluster', async () => {
      const elsewhere = new Pool({
        connectionString: Object.assign(new URL(service.testDatabase.adminUrl), { pathname: '/postgres' }).toString(),
      });
      const idlers = await Promise.all([elsewhere.connect(), service.admin.connect()]);
      for (const idler of idlers) {
        await idler.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
        await idler.query('SELECT pg_current_xact_id(), count(*) FROM pg_class');
      }
      await startRelay();

      await commit('a');

      await service.log.waitFor('a1');
      for (const idler of idlers) {
        await idler.query('ROLLBACK');
        idler.release();
      }
      await elsewhere.end();
    });
  });

  it('causes no deadlock between transactions of the same shards', async () => {
    const ids = messageIds(8, 'different');
    const shuffled = (round: number) => ids.map((_, index) => ids[(index * 3 + round) % ids.length]!);
    await startRelay();

    await Promise.all(
      Array.from({ length: 24 }, (_, round) =>
        member.database.transaction(async (tx) => {
          for (const id of round % 2 ? shuffled(round) : shuffled(round).reverse()) await add(tx, id, round);
        }),
      ),
    );

    await waitUntil(() => service.log.records.length === 24 * ids.length);
  });

  it('maps a key to the same shard in every process', () => {
    // Published FNV-1a values of these texts: 811c9dc5, e40c292c, bf9cf968.
    expect(['', 'a', 'foobar'].map(shardOf)).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968].map((hash) => hash % SHARDS));
    expect(new Set(Array.from({ length: 1_000 }, (_, index) => shardOf(`k${index}`))).size).toBe(SHARDS);
  });
});
