import { gate } from '@tidings/testing/gate';
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
  stepTaken,
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
    by.database.transaction((tx) => by.outbox.add(tx, stepTaken, { payload: step(messageId, n) }));
  const startRelay = async (by = member, options: Parameters<Member['relay']>[0] = {}) => {
    const relay = by.relay(options);
    relay.start();
    await waitUntil(() => relay.shards.length === SHARDS, { what: 'a relay that holds every shard' });
    return relay;
  };
  /** What a consumer keeps that drops everything not above the highest number it has of a key. */
  const seenBy = (log: RecordingLog) => {
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

    await service.log.holds('a1');
  });

  it('is told at once of a commit in another process', async () => {
    const other = await service.member();
    await startRelay();

    await commit('a', 1, other);

    await service.log.holds('a1');
  });

  it('finds by itself what it was not told of', async () => {
    await startRelay(member, { sweepIntervalMs: SWEEP_MS });
    const other = await service.member();
    jest.spyOn(other.outbox.doorbell, 'notifyCommitted').mockImplementation(() => {}); // that process died right after its commit

    await commit('a', 1, other);

    await service.log.holds('a1');
  });

  it('asks the database nothing while there is nothing to do', async () => {
    await startRelay();
    await commit('a');
    await service.log.holds('a1');
    const lastStatement = async () => {
      const { rows } = await service.admin.query<{ state: string; at: string }>(
        `SELECT state, query_start::text AS at FROM pg_stat_activity WHERE application_name = 'tidings-relay' AND datname = current_database()`,
      );
      return rows[0]!;
    };

    const twoLooks = async () => {
      const before = await lastStatement();
      for (let look = 0; look < 20; look++) await service.admin.query('SELECT pg_sleep(0.01)');
      return [before, await lastStatement()] as const;
    };

    // What is left of its work may still come, on a machine with other things to do; then comes nothing, and not for a moment only.
    const idle = await waitUntil(
      async () => {
        const [before, after] = await twoLooks();
        return before.state === 'idle' && after.state === 'idle' && after.at === before.at && after;
      },
      { what: 'a relay that asks nothing' },
    );
    for (let times = 0; times < 3; times++) expect(await twoLooks()).toEqual([idle, idle]);
  });

  it('repeats a batch, and loses nothing, when it dies after appending', async () => {
    let kills = 0;
    service.log.after = async () => {
      if (kills++ === 0) await service.killRelays();
    };
    await startRelay();
    await commit('a');

    await waitUntil(() => service.log.names.length === 2);
    await commit('b');
    await service.log.holds('b1');

    expect(service.log.names).toEqual(['a1', 'a1', 'b1']);
    expect(new Set(service.log.records.slice(0, 2).map(({ id, sequence }) => `${id} ${sequence}`)).size).toBe(1);
  });

  it('does no harm when it finishes late, after another one took over', async () => {
    const other = await service.member();
    const oldLog = new RecordingLog();
    const appending = gate();
    const mayFinish = gate();
    oldLog.before = async () => {
      appending.open();
      await mayFinish.passed;
    };
    const old = await startRelay(member, { log: oldLog });
    await commit('a', 1);
    await appending.passed;
    await service.killRelays();
    const young = other.relay({ sweepIntervalMs: SWEEP_MS });
    young.start();
    await commit('a', 2, other);
    await service.log.holds('a1', 'a2');
    await waitUntil(async () => (await cursors()).length === 1);
    const reached = await cursors();

    mayFinish.open();
    await waitUntil(() => oldLog.records.length === 1);
    service.log.records.push(...oldLog.records); // both wrote to the same topic, the old one last
    await commit('a', 3, other);

    await service.log.holds('a3');
    expect(service.log.names).toEqual(['a1', 'a2', 'a1', 'a3']);
    expect(seenBy(service.log)).toEqual(['a1', 'a2', 'a3']);
    expect((await cursors()).map(BigInt)[0]).toBeGreaterThanOrEqual(BigInt(reached[0]!));
    await waitUntil(() => old.shards.length + young.shards.length === SHARDS);
  });

  it('never moves back a cursor that somebody else has moved, and goes on from there', async () => {
    await startRelay();
    const moved = gate();
    let whenItWentOn: string[] = [];
    service.log.before = async () => {
      service.log.before = async () => {
        whenItWentOn = await cursors();
      };
      await service.admin.query('UPDATE messaging.relay_cursor SET position = 1000');
      await service.admin.query('ALTER SEQUENCE messaging.outbox_sequence RESTART 1001');
      moved.open();
    };
    await commit('a', 1);
    await moved.passed;
    await commit('a', 2);

    await service.log.holds('a1', 'a2');

    expect(whenItWentOn).toEqual(Array.from({ length: SHARDS }, () => '1000'));
    await waitUntil(async () => (await cursors()).includes('1001'));
  });

  it('is the only one that works on a shard, and is relieved at once when it stops', async () => {
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
    await service.log.holds('after1');
    expect(service.log.records).toHaveLength(41);
  });

  it('is relieved when its process dies', async () => {
    const other = await service.member();
    const hanging = new RecordingLog();
    hanging.before = () => new Promise(() => {});
    const dead = member.relay({ log: hanging });
    dead.start();
    await waitUntil(() => dead.shards.length === SHARDS);
    await commit('a');
    await waitUntil(() => hanging.appending === 1);
    other.relay({ sweepIntervalMs: SWEEP_MS }).start();

    await service.killRelays(); // the first never comes back: it hangs in its append

    await service.log.holds('a1');
    jest.spyOn(dead, 'stop').mockResolvedValue(); // nor can it be stopped
  });

  it('finishes the append in hand when it stops, and repeats nothing afterwards', async () => {
    const appending = gate();
    const mayFinish = gate();
    service.log.before = async () => {
      appending.open();
      await mayFinish.passed;
    };
    const relay = await startRelay();
    await commit('a');
    await appending.passed;
    let stopped = false;
    const stopping = relay.stop().then(() => (stopped = true));
    await service.admin.query('SELECT pg_sleep(0.1)'); // whatever stop does without the append, it has done by now
    expect(stopped).toBe(false);
    mayFinish.open();
    await stopping;
    expect(service.log.names).toEqual(['a1']);

    await commit('b');
    await startRelay();
    await service.log.holds('b1');

    expect(service.log.names).toEqual(['a1', 'b1']);
  });

  it('tries again when the log does not take a topic, and does not repeat the others meanwhile', async () => {
    let failures = 0;
    service.log.before = (topic) => {
      if (topic === stepTaken.topic && failures++ < 2) throw new Error('the log is away');
    };
    const relay = await startRelay();
    await member.database.transaction(async (tx) => {
      await member.outbox.add(tx, stepTaken, { payload: step('taken') });
      await member.outbox.add(tx, stepNoted, { payload: step('noted') });
    });

    await service.log.holds('taken1', 'noted1');

    expect(service.log.names.sort()).toEqual(['noted1', 'taken1']);
    await waitUntil(() => relay.failuresInARow === 0);
  });

  it('comes back when PostgreSQL does', async () => {
    const proxy = await startTcpProxy(service.testDatabase.urlOf('messaging'));
    const behind = await service.member(proxy.url);
    const relay = await startRelay(behind);
    proxy.setReachable(false);
    await waitUntil(() => relay.failuresInARow > 1);
    await commit('a');

    proxy.setReachable(true);

    await service.log.holds('a1');
    await relay.stop();
    await proxy.close();
  });

  it('starts before PostgreSQL does', async () => {
    const proxy = await startTcpProxy(service.testDatabase.urlOf('messaging'));
    const behind = await service.member(proxy.url);
    proxy.setReachable(false);
    const relay = behind.relay();
    relay.start();
    await waitUntil(() => relay.failuresInARow > 0);

    proxy.setReachable(true);
    await commit('a');

    await service.log.holds('a1');
    await relay.stop();
    await proxy.close();
  });

  it('stops while PostgreSQL is away', async () => {
    const proxy = await startTcpProxy(service.testDatabase.urlOf('messaging'));
    const behind = await service.member(proxy.url);
    const relay = await startRelay(behind);
    proxy.setReachable(false);
    await waitUntil(() => relay.failuresInARow > 0);

    await relay.stop();

    expect(relay.shards).toEqual([]);
    await proxy.close();
  });

  it('publishes each event once while nothing goes wrong', async () => {
    const ids = messageIds(12, 'different');
    await startRelay();

    await Promise.all(ids.flatMap((id) => [1, 2, 3].map((n) => commit(id, n))));

    await waitUntil(() => service.log.records.length === ids.length * 3);
    expect(new Set(service.log.records.map(({ id }) => id)).size).toBe(ids.length * 3);
  });

  it('may be started and stopped again and again', async () => {
    const relay = member.relay({ sweepIntervalMs: NO_SWEEP_MS });
    for (let round = 1; round <= 3; round++) {
      relay.start();
      relay.start();
      await commit('a', round);
      await service.log.holds(`a${round}`);
      await relay.stop();
    }

    expect(service.log.names).toEqual(['a1', 'a2', 'a3']);
  });
});
