import { setTimeout as delay } from 'node:timers/promises';
import { Teardown } from '@tidings/runtime/teardown';
import { CapturingSmtp, ANY_RECIPIENT } from '@tidings/testing/capturing-smtp';
import { waitUntil } from '@tidings/testing/wait-until';
import { RECOVERED } from '../testing/fault-fixture';
import { MessagingTables } from '../testing/messaging-tables';
import { report } from '../testing/report';
import { SendLoad } from '../testing/send-load';
import { sharedFixture, type Fixture } from '../testing/shared-fixture';
import { System } from '../testing/system';
import { tearDown } from '../testing/tear-down';
import { planStorm, type Round } from './storm-plan';

/** Options of `tools/storm.mjs`. */
const ROUNDS = Number(process.env.STORM_ROUNDS);
const SENDERS = Number(process.env.STORM_SENDERS);
const SEED = Number(process.env.STORM_SEED);

/** Delay of the mail server, so that kills interrupt calls in flight. */
const MAIL_MS = 5;
/** Pause after a send that was refused or not answered. */
const REFUSED_MS = 50;
/** Bound on the arrival of all accepted messages after the last send. */
const ARRIVAL_MS_MAX = 60_000;
const BACK_MS_MAX = 120_000;

/** The product in one process, with its mail server. */
class Stormed implements Fixture {
  private readonly teardown = new Teardown();
  smtp!: CapturingSmtp;
  system!: System;

  static async start(): Promise<Stormed> {
    const stormed = new Stormed();
    try {
      stormed.smtp = await CapturingSmtp.start({ withoutContent: true });
      stormed.teardown.add('the mail server', () => stormed.smtp.close());
      stormed.smtp.treat(ANY_RECIPIENT, { slowMs: MAIL_MS });
      stormed.system = await System.start({ topology: 'standalone', smtpUrl: stormed.smtp.url });
      stormed.teardown.add('the product', () => stormed.system.stop());
    } catch (error) {
      await stormed.abandon();
      throw error;
    }
    return stormed;
  }

  end(): Promise<void> {
    return tearDown(this.teardown);
  }

  async abandon(): Promise<void> {
    await this.teardown.run();
  }
}

const withFixture = sharedFixture(() => Stormed.start());

async function kill({ system }: Stormed, { victim, againMs }: Round): Promise<void> {
  if (victim === 'the postmaster alone') {
    await killPostmaster(system);
    for (const ms of againMs) {
      await delay(ms);
      await killPostmaster(system);
    }
    return;
  }
  if (victim === 'node and PostgreSQL') process.kill(system.database!.pid, 'SIGKILL');
  await system.kill();
  await system.restart();
}

/** Resolves when the product has replaced PostgreSQL. */
async function killPostmaster(system: System): Promise<void> {
  const { pid } = system.database!;
  process.kill(pid, 'SIGKILL');
  const isBack = (): boolean => system.database !== undefined && system.database.pid !== pid;
  await waitUntil(() => !system.isRunning || isBack(), { what: 'another PostgreSQL', timeoutMs: BACK_MS_MAX });
  expect(system.isRunning).toBe(true);
}

function secondCopiesAt(smtp: CapturingSmtp): number {
  return [...smtp.copies().values()].reduce((sum, count) => sum + count - 1, 0);
}

/** Rejects with the unfinished work when mails to these addresses do not arrive in time. */
async function allArrived({ smtp, system }: Stormed, emails: readonly string[]): Promise<void> {
  let missing: string[] = [];
  const hasAll = (): boolean => {
    const arrived = new Set(smtp.mails.flatMap(({ envelope }) => envelope.to));
    missing = emails.filter((email) => !arrived.has(email));
    return missing.length === 0;
  };
  await waitUntil(hasAll, { what: 'mails', timeoutMs: ARRIVAL_MS_MAX, intervalMs: 50 }).catch(async (error: Error) => {
    const unfinished = await new MessagingTables(system).unfinished().catch(String);
    throw new Error(`${error.message}: ${missing.length} of ${emails.length} are missing; unfinished work: ${JSON.stringify(unfinished)}`);
  });
}

async function allFinished({ system }: Stormed): Promise<void> {
  const isFinished = async (): Promise<boolean> => {
    const { expansions, waiting, deliveries } = await new MessagingTables(system).unfinished();
    return expansions + waiting + deliveries === 0;
  };
  await waitUntil(isFinished, { what: 'the end of messages stored without an answer', timeoutMs: ARRIVAL_MS_MAX, intervalMs: 50 });
}

describe(`a storm of ${ROUNDS} kills under ${SENDERS} senders, seed ${SEED}`, () => {
  it.each(planStorm(SEED, ROUNDS))('round $number: $victim', (round) =>
    withFixture(async (stormed) => {
      const { smtp, system } = stormed;
      const { number, victim, beforeMs, againMs, afterMs } = round;
      const isSurvived = victim === 'the postmaster alone';
      const before = { copies: secondCopiesAt(smtp), recovered: isSurvived ? await system.metrics(RECOVERED) : 0 };
      const load = new SendLoad(system.client, `storm-${number}`);
      const stop = new AbortController();
      const loaded = load.stream(SENDERS, stop.signal, REFUSED_MS);
      try {
        await delay(beforeMs);
        await kill(stormed, round);
        const backAt = performance.now();
        const isAccepted = (): boolean => load.accepted.some(({ startedAt }) => startedAt > backAt);
        await waitUntil(() => !system.isRunning || isAccepted(), { what: 'a send that is accepted', timeoutMs: BACK_MS_MAX });
        expect(system.isRunning).toBe(true);
        await delay(afterMs);
      } finally {
        stop.abort();
        await loaded;
      }
      const lastAt = performance.now();
      await allArrived(
        stormed,
        load.accepted.map(({ email }) => email),
      );
      const arrivedMs = performance.now() - lastAt;
      await allFinished(stormed);
      const secondCopies = secondCopiesAt(smtp) - before.copies;
      const inFlight = (await system.metrics(RECOVERED)) - before.recovered;
      const kills = [`${victim} after ${beforeMs} ms`, ...againMs.map((ms) => `again after ${ms} ms`)].join(', ');
      const copies = `second copies ${secondCopies}, calls in flight ${inFlight}`;
      report(
        `round ${number}, ${kills}: ${JSON.stringify(load.tally)}, all arrived ${Math.round(arrivedMs)} ms after the last send, ${copies}`,
      );

      expect(secondCopies).toBeLessThanOrEqual(inFlight);
      // Queries of a mail server with tens of thousands of mails are slow.
      smtp.reset();
      smtp.treat(ANY_RECIPIENT, { slowMs: MAIL_MS });
    }),
  );
});
