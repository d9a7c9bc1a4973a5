import { waitUntil } from '@tidings/testing/wait-until';
import { CommitNotifier } from './commit-notifier';
import { type Appended, type Member, nameOf, type Service, startService, type Step, step, stepNoted, stepMade } from './outbox.fixture';
import { publishingLockOf, type ReadLimits, type RelaySource, type ShardPosition, type SourcedEvent } from './relay-source';
import { lockShards, shardOf, shardsOf, SHARDS } from './shards';
import { PUBLISH_HOOK_ORDER, type Queryable, type Transaction } from './transaction';

/** A retained history that serves as outbox. */
class StepHistory implements RelaySource {
  readonly name = 'messaging.step_history';
  readonly events = [stepMade, stepNoted];

  /** @param noted each step is noted too: two events share a position. */
  constructor(
    readonly notifier: CommitNotifier,
    private readonly noted = false,
    private readonly bytes = 100,
  ) {}

  add(tx: Transaction, added: Step): void {
    const key = stepMade.keyOf(added);
    tx.beforeCommit(async () => {
      await tx.query(lockShards, [publishingLockOf(this.name), shardsOf([key])]);
      await tx.query(
        {
          name: 'spec-history-insert',
          text: `INSERT INTO step_history (position, shard, message_id, n) VALUES (nextval('step_position'), $1, $2, $3)`,
        },
        [shardOf(key), added.messageId, added.n],
      );
    }, PUBLISH_HOOK_ORDER + 1);
    tx.afterCommit(() => this.notifier.notifyCommitted(shardsOf([key])));
  }

  async read(connection: Queryable, behind: readonly ShardPosition[], { events }: ReadLimits): Promise<SourcedEvent[]> {
    const rows = await connection.query<{ shard: number; position: string; message_id: string; n: number }>(
      {
        name: 'spec-history-read',
        text: `SELECT row.* FROM unnest($1::smallint[], $2::bigint[]) AS behind (shard, position)
               CROSS JOIN LATERAL (SELECT * FROM step_history AS h WHERE h.shard = behind.shard AND h.position > behind.position ORDER BY h.position LIMIT $3) AS row
               ORDER BY row.shard, row.position`,
      },
      [behind.map(({ shard }) => shard), behind.map(({ position }) => position), events],
    );
    return rows.flatMap(({ shard, position, message_id, n }) => {
      const payload = step(message_id, n);
      return (this.noted ? [stepMade, stepNoted] : [stepMade]).map(({ topic, keyOf }) => ({
        shard,
        position,
        id: `${message_id}-${n}`,
        topic,
        key: keyOf(payload),
        payload,
        sequence: String(n),
        bytes: this.bytes,
      }));
    });
  }
}

describe('a history that serves as outbox', () => {
  let service: Service;
  let member: Member;
  let history: StepHistory;

  beforeEach(async () => {
    service = await startService();
    member = await service.member();
    await member.database.query(`
      CREATE SEQUENCE step_position;
      CREATE TABLE step_history (shard smallint, position bigint, message_id text, n int, PRIMARY KEY (shard, position))`);
    history = new StepHistory(new CommitNotifier(member.database, 'tidings_spec_history'));
  });

  afterEach(async () => {
    await service.stop();
  });

  const commit = (messageId: string, n: number) =>
    member.database.transaction((tx) => Promise.resolve(history.add(tx, step(messageId, n))));

  it('is published once, continues after a restart, and is retained', async () => {
    const first = member.relay({ source: history });
    first.start();
    await commit('a', 1);
    await commit('b', 1);
    await service.log.waitFor('a1', 'b1');
    await first.stop();

    await commit('a', 2);
    member.relay({ source: history }).start();
    await service.log.waitFor('a2');

    expect([...service.log.names].sort()).toEqual(['a1', 'a2', 'b1']);
    await expect(member.database.query('SELECT count(*)::int AS count FROM step_history')).resolves.toEqual([{ count: 3 }]);
  });

  it('republishes what a compacted topic may have in the wrong order', async () => {
    let first = true;
    const late: Appended[] = [];
    service.log.before = async (topic, events) => {
      if (topic !== stepNoted.topic || !first) return;
      first = false;
      late.push(...events.map((event) => ({ ...event, topic })));
      await commit('a', 2); // is appended together with the repetition
      throw new Error('no answer, although the log appended it');
    };
    const notes = () => service.log.records.filter(({ topic }) => topic === stepNoted.topic);
    service.log.after = () => {
      if (notes().at(-1)?.sequence === '2') service.log.records.push(...late.splice(0)); // the first append arrives late
    };
    const noted = new StepHistory(history.notifier, true);
    const relay = member.relay({ source: noted, republishAfterMs: 300 });
    await commit('a', 1);
    relay.start();
    await waitUntil(() => notes().length >= 5, { what: 'both steps to be noted again' });

    expect(notes().map(nameOf)).toEqual(['a1', 'a2', 'a1', 'a1', 'a2']);
    expect(service.log.records.filter(({ topic }) => topic === stepMade.topic).map(nameOf)).toEqual(['a1', 'a2']);
  });

  it('loses no event of a position when one topic appends its events and another fails', async () => {
    let failures = 0;
    service.log.before = (topic) => {
      if (topic === stepNoted.topic && failures++ < 2) throw new Error('the log is unavailable');
    };
    const noted = new StepHistory(history.notifier, true);
    await commit('a', 1);
    member.relay({ source: noted }).start();

    await waitUntil(() => service.log.records.length === 2);

    expect(service.log.records.map(({ topic }) => topic)).toEqual([stepMade.topic, stepNoted.topic]);
  });

  it('is appended in parts of limited size, in order', async () => {
    const parts: number[] = [];
    let failed = false;
    service.log.before = (_, events) => {
      if (parts.length === 1 && !failed) {
        failed = true;
        throw new Error('the log is unavailable');
      }
      parts.push(events.length);
    };
    await member.database.query(
      `INSERT INTO step_history (position, shard, message_id, n)
       SELECT nextval('step_position'), $1, 'a', n FROM generate_series(1, 240) AS n`,
      [shardOf(stepMade.keyOf(step('a')))],
    );
    member.relay({ source: new StepHistory(history.notifier, false, 40_000) }).start();

    await service.log.waitFor('a240');

    expect(parts).toEqual([100, 100, 40]);
    expect(service.log.names).toEqual(Array.from({ length: 240 }, (_, index) => `a${index + 1}`));
  });

  it('is published up to the last commit within the time a stop allows', async () => {
    const relay = member.relay({ source: history });
    let isSecondCommitted = false;
    service.log.before = async () => {
      if (isSecondCommitted) return;
      isSecondCommitted = true;
      await commit('a', 2);
    };
    relay.start();
    await commit('a', 1);
    await waitUntil(() => isSecondCommitted);

    await relay.stop({ finishMs: 10_000 });

    expect(service.log.names).toEqual(['a1', 'a2']);
  });

  it('has cursors and locks of its own beside the outbox of its schema', async () => {
    const both = [member.relay(), member.relay({ source: history })];
    both.forEach((relay) => relay.start());

    await waitUntil(() => both.every((relay) => relay.shards.length === SHARDS));
    await member.database.transaction(async (tx) => {
      await member.outbox.add(tx, stepMade, { payload: step('outbox', 1) });
      history.add(tx, step('history', 1));
    });

    await service.log.waitFor('outbox1', 'history1');
    expect(service.log.records).toHaveLength(2);
  });
});
