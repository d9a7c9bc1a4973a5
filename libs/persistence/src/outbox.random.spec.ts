import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '@tidings/testing/wait-until';
import { ServiceError } from '@tidings/contracts/core/errors';
import { statement } from './database';
import { type Member, messageIds, type Service, startService, type Step, step, stepMade } from './outbox.fixture';
import { PUBLISH_HOOK_ORDER } from './transaction';

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const MESSAGES = 8;
const WRITERS = 6;
const TRANSACTIONS_PER_WRITER = 40;
const PAUSE_MS_MAX = 8;
const SLOW_COMMIT_MS = 25;
const ATTEMPTS_MAX = 100;
const DISORDER = 0.01;

const makeStep = statement('spec-make-step', 'UPDATE message SET n = n + 1 WHERE id = $1 RETURNING n');

/** Mulberry32: the same numbers for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe(`an outbox under writers, relays and failures at random (SEED=${SEED})`, () => {
  let service: Service;

  beforeEach(async () => {
    service = await startService();
  });

  afterEach(async () => {
    await service.stop();
  });

  it('publishes every event of every message, in order, and nothing that was rolled back', async () => {
    const members = await Promise.all([1, 2, 3].map(() => service.member()));
    await members[0]!.database.query('CREATE TABLE message (id text PRIMARY KEY, n int NOT NULL)');
    const ids = [...new Set([...messageIds(MESSAGES / 2, 'same'), ...messageIds(MESSAGES / 2, 'different')])];
    await members[0]!.database.query(statement('spec-messages', 'INSERT INTO message SELECT unnest($1::text[]), 0'), [ids]);
    const random = randomOf(SEED);
    const pause = () => delay(random() * PAUSE_MS_MAX);
    let calm = false;
    service.log.before = async () => {
      if (random() < 0.3) await pause();
      if (!calm && random() < 0.05) throw new Error('not appended');
    };
    service.log.after = () => {
      if (!calm && random() < 0.05) throw new Error('appended, outcome unknown');
    };
    const relays = members.map((member) => member.relay({ sweepIntervalMs: 20 }));
    relays.forEach((relay) => relay.start());

    const chaos = (async () => {
      while (!calm) {
        await delay(50 + random() * 200);
        if (random() < 0.5) await service.killRelays();
        else {
          const relay = relays[Math.floor(random() * relays.length)]!;
          await relay.stop();
          relay.start();
        }
      }
    })();
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let round = 0; round < TRANSACTIONS_PER_WRITER; round++) await write(members[writer % members.length]!, random, ids, pause);
      }),
    );
    calm = true;
    await chaos;

    const counts = await members[0]!.database.query<{ id: string; n: number }>('SELECT id, n FROM message ORDER BY id');
    await waitUntil(
      () =>
        consumed().size === counts.filter(({ n }) => n > 0).length &&
        counts.every(({ id, n }) => n === 0 || consumed().get(id)!.length >= n),
      {
        what: 'every event',
      },
    );
    expect([...consumed()].sort()).toEqual(
      counts.filter(({ n }) => n > 0).map(({ id, n }) => [id, Array.from({ length: n }, (_, index) => index + 1)]),
    );
    expect(counts.reduce((sum, { n }) => sum + n, 0)).toBeGreaterThan((WRITERS * TRANSACTIONS_PER_WRITER) / 2); // about 300 are expected
  });

  /** Steps by message that remain when a consumer drops records whose number is not above the highest of their key. */
  function consumed(): Map<string, number[]> {
    const highest = new Map<string, bigint>();
    const seen = new Map<string, number[]>();
    for (const { key, sequence, payload } of service.log.records) {
      if (BigInt(sequence) <= (highest.get(key) ?? 0n)) continue;
      highest.set(key, BigInt(sequence));
      const { messageId, n } = payload as Step;
      seen.set(messageId, [...(seen.get(messageId) ?? []), n]);
    }
    return seen;
  }
});

/** One transaction over a few messages; sometimes with a deadlock or a deliberate rollback. */
async function write(member: Member, random: () => number, ids: readonly string[], pause: () => Promise<void>): Promise<void> {
  const chosen = ids.filter(() => random() < 0.2);
  // Seldom in reverse order: PostgreSQL takes a second to detect a deadlock.
  if (random() < DISORDER) chosen.reverse();
  const rollsBack = random() < 0.1;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    try {
      await member.database.transaction(async (tx) => {
        if (random() < 0.5) await tx.query('SELECT pg_current_xact_id()');
        await pause();
        for (const id of chosen) {
          const [{ n }] = (await tx.query(makeStep, [id])) as [{ n: number }];
          await member.outbox.add(tx, stepMade, { payload: step(id, n) });
          if (random() < 0.3) await pause();
        }
        if (random() < 0.3) tx.beforeCommit(() => delay(SLOW_COMMIT_MS), PUBLISH_HOOK_ORDER + 1); // a slow commit: numbers drawn, not visible yet
        if (rollsBack) throw new Error('rolled back on purpose');
      });
      return;
    } catch (error) {
      if (rollsBack) return;
      if (!(error instanceof ServiceError && error.code === 'unavailable')) throw error;
    }
  }
  throw new Error(`A transaction did not succeed in ${ATTEMPTS_MAX} attempts`);
}
