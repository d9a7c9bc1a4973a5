import { waitUntil } from '@tidings/testing/wait-until';
import { Doorbell } from './doorbell';
import { type Member, type Service, startService, type Step, step, stepTaken } from './outbox.fixture';
import { publishingLockOf, type ReadLimits, type RelaySource, type ShardPosition, type SourcedEvent } from './relay-source';
import { lockShards, shardOf, shardsOf, SHARDS } from './shards';
import { PUBLISH_HOOK_ORDER, type Queryable, type Transaction } from './transaction';

/** A history that is kept and is its own outbox. */
class StepHistory implements RelaySource {
  readonly name = 'messaging.step_history';
  readonly events = [stepTaken];

  constructor(readonly doorbell: Doorbell) {}

  add(tx: Transaction, added: Step): void {
    const key = stepTaken.keyOf(added);
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
    tx.afterCommit(() => this.doorbell.ring(shardsOf([key])));
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
    return rows.map(({ shard, position, message_id, n }) => {
      const payload = step(message_id, n);
      return {
        shard,
        position,
        id: `${message_id}-${n}`,
        topic: stepTaken.topic,
        key: stepTaken.keyOf(payload),
        payload,
        sequence: String(n),
      };
    });
  }
}

describe('a history that is its own outbox', () => {
  let service: Service;
  let member: Member;
  let history: StepHistory;

  beforeEach(async () => {
    service = await startService();
    member = await service.member();
    await member.database.query(`
      CREATE SEQUENCE step_position;
      CREATE TABLE step_history (shard smallint, position bigint, message_id text, n int, PRIMARY KEY (shard, position))`);
    history = new StepHistory(new Doorbell(member.database, 'tidings_spec_history'));
  });

  afterEach(async () => {
    await service.stop();
  });

  const commit = (messageId: string, n: number) =>
    member.database.transaction((tx) => Promise.resolve(history.add(tx, step(messageId, n))));

  it('is published once, goes on where it was after a restart, and is kept', async () => {
    const first = member.relay({ source: history });
    first.start();
    await commit('a', 1);
    await commit('b', 1);
    await service.log.holds('a1', 'b1');
    await first.stop();

    await commit('a', 2);
    member.relay({ source: history }).start();
    await service.log.holds('a2');

    expect([...service.log.names].sort()).toEqual(['a1', 'a2', 'b1']);
    await expect(member.database.query('SELECT count(*)::int AS count FROM step_history')).resolves.toEqual([{ count: 3 }]);
  });

  it('has cursors and locks of its own beside the outbox of its schema', async () => {
    const both = [member.relay(), member.relay({ source: history })];
    both.forEach((relay) => relay.start());

    await waitUntil(() => both.every((relay) => relay.shards.length === SHARDS));
    await member.database.transaction(async (tx) => {
      await member.outbox.add(tx, stepTaken, { payload: step('outbox', 1) });
      history.add(tx, step('history', 1));
    });

    await service.log.holds('outbox1', 'history1');
    expect(service.log.records).toHaveLength(2);
  });
});
