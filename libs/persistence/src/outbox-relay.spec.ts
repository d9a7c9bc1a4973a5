import { latch } from '@tidings/testing/latch';
import { waitUntil } from '@tidings/testing/wait-until';
import {
  type Member,
  messageIds,
  nameOf,
  NO_SWEEP_MS,
  RecordingLog,
  type Service,
  startService,
  step,
  stepNoted,
  stepMade,
} from './outbox.fixture';
import { SHARDS } from './shards';
import { startTcpProxy } from '@tidings/testing/tcp-proxy';

const SWEEP_MS = 50;

describe('a relay', () => {
  let service: Service;
  let member: Member;

  beforeEach(async () => {
    service = await startService();
    member = await service.member();
  });

  afterEach(async () => {
    await service.stop();
  });

  const commit = (messageId: string, n = 1, by = member) =>
    by.database.transaction((tx) => by.outbox.add(tx, stepMade, { payload: step(messageId, n) }));
  const startRelay = async (by = member, options: Parameters<Member['relay']>[0] = {}) => {
    const relay = by.relay(options);
    relay.start();
    await waitUntil(() => relay.shards.length === SHARDS, { what: 'a relay that owns every shard' });
    return relay;
  };
  /** Names that remain when a consumer drops records whose number is not above the highest of their key. */
  const retainedNames = (log: RecordingLog) => {
    const highest = new Map<string, bigint>();
    return log.records
      .filter(({ key, sequence }) => {
        if (BigInt(sequence) <= (highest.get(key) ?? 0n)) return false;
        highest.set(key, BigInt(sequence));
        return true;
      })
      .map(nameOf);
  };
  const cursors = async () =>
    (await service.admin.query<{ position: string }>('SELECT position FROM messaging.relay_cursor WHERE position > 0')).rows.map(
      ({ position }) => position,
    );

  it('publishes what was committed before it started', async () => {
    await commit('a');

    await startRelay();

    await service.log.waitFor('a1');
  });

  it('is notified at once of a commit in another process', async () => {
    const other = await service.member();
    await startRelay();

    await commit('a', 1, other);

    await service.log.waitFor('a1');
  });

  it('finds a commit without a notification by its sweep', async () => {
    await startRelay(member, { sweepIntervalMs: SWEEP_MS });
    const other = await service.member();
    jest.spyOn(other.outbox.notifier, 'notifyCommitted').mockImplementation(() => {}); // as if that process died right after its commit

    await commit('a', 1, other);

    await service.log.waitFor('a1');
  });

  it('sends no query while idle', async () => {
    await startRelay();
    await commit('a');
    await service.log.waitFor('a1');
    const lastStatement = async () => {
      const { rows } = await service.admin.query<{ state: string; at: string }>(
        `SELECT state, query_start::text AS at FROM pg_stat_activity WHERE application_name = 'tidings-relay' AND datname = current_database()`,
      );
      return rows[0]!;
    };

    const twoSamples = async () => {
      const before = await lastStatement();
      for (let pause = 0; pause < 20; pause++) await service.admin.query('SELECT pg_sleep(0.01)');
      return [before, await lastStatement()] as const;
    };

    // Its last statements may still come on a busy machine; afterwards several samples must stay equal.
    const idle = await waitUntil(
      async () => {
        const [before, after] = await twoSamples();
        return before.state === 'idle' && after.state === 'idle' && after.at === before.at && after;
      },
      { what: 'an idle relay' },
    );
    for (let times = 0; times < 3; times++) expect(await twoSamples()).toEqual([idle, idle]);
  });

  it('repeats a batch and loses no event when it dies after appending', async () => {
    let kills = 0;
    service.log.after = async () => {
      if (kills++ === 0) await service.killRelays();
    };
    await startRelay(member, { sweepIntervalMs: SWEEP_MS }); // it may be back before the server has released its shards
    await commit('a');

    await waitUntil(() => service.log.names.length === 2);
    await commit('b');
    await service.log.waitFor('b1');

    expect(service.log.names).toEqual(['a1', 'a1', 'b1']);
    expect(new Set(service.log.records.slice(0, 2).map(({ id, sequence }) => `${id} ${sequence}`)).size).toBe(1);
  });

  it('only repeats events when it finishes late, after another relay took over', async () => {
    const other = await service.member();
    const oldLog = new RecordingLog();
    const appending = latch();
    const mayFinish = latch();
    oldLog.before = async () => {
      appending.open();
      await mayFinish.opened;
    };
    const old = await startRelay(member, { log: oldLog });
    await commit('a', 1);
    await appending.opened;
    await service.killRelays();
    const young = other.relay({ sweepIntervalMs: SWEEP_MS });
    young.start();
    await commit('a', 2, other);
    await service.log.waitFor('a1', 'a2');
    await waitUntil(async () => (await cursors()).length === 1);
    const reached = await cursors();

    mayFinish.open();
    await waitUntil(() => oldLog.records.length === 1);
    service.log.records.push(...oldLog.records); // both wrote to the same topic, the old one last
    await commit('a', 3, other);

    await service.log.waitFor('a3');
    expect(service.log.names).toEqual(['a1', 'a2', 'a1', 'a3']);
    expect(retainedNames(service.log)).toEqual(['a1', 'a2', 'a3']);
    expect((await cursors()).map(BigInt)[0]).toBeGreaterThanOrEqual(BigInt(reached[0]!));
    await waitUntil(() => old.shards.length + young.shards.length === SHARDS);
  });

  it('never moves back a cursor that another session has moved, and continues from there', async () => {
    await startRelay();
    const moved = latch();
    let cursorsAtNextAppend: string[] = [];
    service.log.before = async () => {
      service.log.before = async () => {
        cursorsAtNextAppend = await cursors();
      };
      await service.admin.query('UPDATE messaging.relay_cursor SET position = 1000');
      await service.admin.query('ALTER SEQUENCE messaging.outbox_sequence RESTART 1001');
      moved.open();
    };
    await commit('a', 1);
    await moved.opened;
    await commit('a', 2);

    await service.log.waitFor('a1', 'a2');

    expect(cursorsAtNextAppend).toEqual(Array.from({ length: SHARDS }, () => '1000'));
    await waitUntil(async () => (await cursors()).includes('1001'));
  });

  it('is the only owner of a shard, and is replaced at once when it stops', async () => {
    const other = await service.member();
    const first = await startRelay();
    const second = other.relay();
    second.start();
    await Promise.all(Array.from({ length: 40 }, (_, n) => commit(`m${n}`, 1, n % 2 ? member : other)));
    await waitUntil(() => service.log.records.length === 40);
    expect(first.shards).toHaveLength(SHARDS);
    expect(second.shards).toHaveLength(0);
    expect(service.log.mostAtOnce).toBe(1);
    await waitUntil(async () => {
      const { rows } = await service.admin.query(
        `SELECT FROM pg_stat_activity WHERE application_name = 'tidings-relay' AND datname = current_database()`,
      );
      return rows.length === 2;
    });

    await first.stop();

    await waitUntil(() => second.shards.length === SHARDS);
    await commit('after', 1);
    await service.log.waitFor('after1');
    expect(service.log.records).toHaveLength(41);
  });

  it('is replaced when its process dies', async () => {
    const other = await service.member();
    const stuck = new RecordingLog();
    stuck.before = () => new Promise(() => {});
    const dead = member.relay({ log: stuck });
    dead.start();
    await waitUntil(() => dead.shards.length === SHARDS);
    await commit('a');
    await waitUntil(() => stuck.appending === 1);
    other.relay({ sweepIntervalMs: SWEEP_MS }).start();

    await service.killRelays(); // the first relay never continues: its append does not end

    await service.log.waitFor('a1');
    jest.spyOn(dead, 'stop').mockResolvedValue(); // it cannot be stopped either
  });

  it('finishes the current append when it stops, and repeats nothing afterwards', async () => {
    const appending = latch();
    const mayFinish = latch();
    service.log.before = async () => {
      appending.open();
      await mayFinish.opened;
    };
    const relay = await startRelay();
    await commit('a');
    await appending.opened;
    let stopped = false;
    const stopping = relay.stop().then(() => (stopped = true));
    await service.admin.query('SELECT pg_sleep(0.1)'); // time for a stop that would not wait for the append
    expect(stopped).toBe(false);
    mayFinish.open();
    await stopping;
    expect(service.log.names).toEqual(['a1']);

    await commit('b');
    await startRelay();
    await service.log.waitFor('b1');

    expect(service.log.names).toEqual(['a1', 'b1']);
  });

  it('retries a topic whose append fails, without repeating the other topics', async () => {
    let failures = 0;
    service.log.before = (topic) => {
      if (topic === stepMade.topic && failures++ < 2) throw new Error('the log is unavailable');
    };
    const relay = await startRelay();
    await member.database.transaction(async (tx) => {
      await member.outbox.add(tx, stepMade, { payload: step('made') });
      await member.outbox.add(tx, stepNoted, { payload: step('noted') });
    });

    await service.log.waitFor('made1', 'noted1');

    expect(service.log.names.sort()).toEqual(['made1', 'noted1']);
    await waitUntil(() => relay.failuresInARow === 0);
  });

  it('reconnects when PostgreSQL is reachable again', async () => {
    const proxy = await startTcpProxy(service.testDatabase.urlOf('messaging'));
    const behind = await service.member(proxy.url);
    const relay = await startRelay(behind, { sweepIntervalMs: SWEEP_MS });
    proxy.setReachable(false);
    await waitUntil(() => relay.failuresInARow > 1);
    await commit('a');

    proxy.setReachable(true);

    await service.log.waitFor('a1');
    await relay.stop();
    await proxy.close();
  });

  it('starts while PostgreSQL is unavailable', async () => {
    const proxy = await startTcpProxy(service.testDatabase.urlOf('messaging'));
    const behind = await service.member(proxy.url);
    proxy.setReachable(false);
    const relay = behind.relay();
    relay.start();
    await waitUntil(() => relay.failuresInARow > 0);

    proxy.setReachable(true);
    await commit('a');

    await service.log.waitFor('a1');
    await relay.stop();
    await proxy.close();
  });

  it('stops while PostgreSQL is unavailable', async () => {
    const proxy = await startTcpProxy(service.testDatabase.urlOf('messaging'));
    const behind = await service.member(proxy.url);
    const relay = await startRelay(behind);
    proxy.setReachable(false);
    await waitUntil(() => relay.failuresInARow > 0);

    await relay.stop();

    expect(relay.shards).toEqual([]);
    await proxy.close();
  });

  it('publishes each event once while nothing fails', async () => {
    const ids = messageIds(12, 'different');
    await startRelay();

    await Promise.all(ids.flatMap((id) => [1, 2, 3].map((n) => commit(id, n))));

    await waitUntil(() => service.log.records.length === ids.length * 3);
    expect(new Set(service.log.records.map(({ id }) => id)).size).toBe(ids.length * 3);
  });

  it('may be started and stopped repeatedly', async () => {
    const relay = member.relay({ sweepIntervalMs: NO_SWEEP_MS });
    for (let round = 1; round <= 3; round++) {
      relay.start();
      relay.start();
      await commit('a', round);
      await service.log.waitFor(`a${round}`);
      await relay.stop();
    }

    expect(service.log.names).toEqual(['a1', 'a2', 'a3']);
  });
});
