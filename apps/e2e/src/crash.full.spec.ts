import { Teardown } from '@tidings/runtime/teardown';
import { CapturingSmtp, EVERYBODY } from '@tidings/testing/capturing-smtp';
import { waitUntil } from '@tidings/testing/wait-until';
import { untilAllDelivered } from './testing/delivered';
import { report } from './testing/report';
import { SendLoad } from './testing/send-load';
import { System } from './testing/system';
import { sharedFixture, type Fixture } from './testing/shared-fixture';
import { tearDown } from './testing/tear-down';
const SENDS = 2_000;
const CONNECTIONS = 16;
/** Accepted sends before the interruption. */
const ACCEPTED_BEFORE = 600;
/** Delivery timeout for all messages together; includes the expiry of orphaned leases. */
const DELIVERY_TIMEOUT_MS = 180_000;
/** The history of one in so many messages is checked. */
const SAMPLE_EVERY = 20;
const RECOVERED = 'tidings_delivery_attempts_recovered_total';

const SLOW_MS = 30;
const SPEEDS = [
  { speed: 'quick', slowMs: 0 },
  { speed: 'slow', slowMs: SLOW_MS },
];

/** Statuses of unfinished messages. */
const UNFINISHED = 'ENQUEUED,ROUTED,SENT';

interface Outcome {
  /** Mails received beyond the first of each message. */
  secondCopies: number;
  /** Open attempts that the process found after the interruption. */
  recovered: number;
}

/** The product with its mail server. */
class Installed implements Fixture {
  private readonly teardown = new Teardown();
  smtp!: CapturingSmtp;
  system!: System;

  static async start(): Promise<Installed> {
    const installed = new Installed();
    try {
      installed.smtp = await CapturingSmtp.start({ withoutContent: true });
      installed.teardown.add('the mail server', () => installed.smtp.close());
      installed.system = await System.start({ smtpUrl: installed.smtp.url });
      installed.teardown.add('the product', () => installed.system.stop());
    } catch (error) {
      await installed.abandon();
      throw error;
    }
    return installed;
  }

  end(): Promise<void> {
    return tearDown(this.teardown);
  }

  async abandon(): Promise<void> {
    await this.teardown.run();
  }
}

const withFixture = sharedFixture(() => Installed.start());

/**
 * 2,000 sends with `interrupt` in the middle; lost connections continue after the restart. Expects every accepted message to be
 * DELIVERED with one Message-ID and a plain history, and no unfinished message. `interrupt` restarts every process, so metrics
 * count from there.
 */
function sendThrough(name: string, slowMs: number, interrupt: (installed: Installed) => Promise<void>): Promise<Outcome> {
  return withFixture(async (installed) => {
    const { smtp, system } = installed;
    smtp.treat(EVERYBODY, { slowMs });
    const copiesBefore = secondCopiesAt(smtp);
    const load = new SendLoad(system.client, name.replaceAll(/[^a-z0-9]+/g, '-'));
    let back: Promise<void> | undefined;
    await load.flood(SENDS, CONNECTIONS, ({ status }) => {
      if (!back && load.accepted.length >= ACCEPTED_BEFORE) back = interrupt(installed);
      return status === 'lost' ? back : undefined;
    });
    await back;
    const accepted = load.accepted;
    await untilAllDelivered(
      system.client,
      accepted.map(({ id }) => id),
      DELIVERY_TIMEOUT_MS,
    );
    // Sends without an answer may be stored; none may stay unfinished.
    await waitUntil(async () => (await unfinished(system)).length === 0, {
      what: 'the end of messages stored without an answer',
      timeoutMs: DELIVERY_TIMEOUT_MS,
      intervalMs: 100,
    });

    const secondCopies = secondCopiesAt(smtp) - copiesBefore;
    const recovered = await system.metrics(RECOVERED);
    report(`${name}: ${JSON.stringify(load.tally)}, open attempts found ${recovered}, second copies ${secondCopies}`);

    expect(load.sent).toHaveLength(SENDS);
    expect(accepted.length + (load.tally.lost ?? 0)).toBe(SENDS);
    expect(load.tally.lost ?? 0).toBeLessThanOrEqual(2 * CONNECTIONS);
    expectOneMessageIdEach(
      smtp,
      accepted.map(({ email }) => email),
    );
    for (const { id } of accepted.filter((_, index) => index % SAMPLE_EVERY === 0)) {
      const history = await system.client.history(id);
      expect(history.map(({ type }) => type)).toEqual([
        'ENQUEUED',
        'PROFILE_LOADED',
        'ROUTED',
        'RENDERED',
        'DELIVERING',
        'SENT',
        'DELIVERED',
      ]);
    }
    return { secondCopies, recovered };
  });
}

async function unfinished({ client }: System): Promise<unknown[]> {
  const { status, body } = await client.get<{ results: unknown[] }>(`/messages?status=${UNFINISHED}`);
  if (status !== 200) throw new Error(`GET /messages answered ${status}: ${JSON.stringify(body)}`);
  return body.results;
}

/** Makes the mail server answer no mail; resolves once one waits, as an attempt that stays open until its process is killed. */
async function blockMail(smtp: CapturingSmtp): Promise<void> {
  const hung = (): number => smtp.mails.filter(({ ending }) => ending === 'hung').length;
  const before = hung();
  smtp.treat(EVERYBODY, { hang: true });
  await waitUntil(() => hung() > before, { what: 'a mail that is not answered' });
}

function secondCopiesAt(smtp: CapturingSmtp): number {
  return [...smtp.copies().values()].reduce((sum, count) => sum + count - 1, 0);
}

/** A repeated mail has the Message-ID of the first, so that receivers can deduplicate. */
function expectOneMessageIdEach(smtp: CapturingSmtp, recipients: readonly string[]): void {
  const received = new Map<string, Set<string>>();
  for (const { envelope, messageId } of smtp.mails) {
    for (const email of envelope.to) received.set(email, (received.get(email) ?? new Set()).add(messageId));
  }
  expect(recipients.filter((email) => !received.has(email))).toEqual([]);
  expect([...received].filter(([, messageIds]) => messageIds.size !== 1)).toEqual([]);
}

describe.each(SPEEDS)('2,000 sends with a $speed mail server', ({ speed, slowMs }) => {
  it('survive kill -9 in the middle, with no more second copies than attempts were open', async () => {
    const { secondCopies, recovered } = await sendThrough(`kill -9, ${speed} mail server`, slowMs, async ({ smtp, system }) => {
      if (slowMs > 0) await blockMail(smtp);
      await system.kill();
      smtp.treat(EVERYBODY, { slowMs });
      await system.restart();
    });

    expect(secondCopies).toBeLessThanOrEqual(recovered);
    if (slowMs > 0) expect(recovered).toBeGreaterThan(0);
  });
});

it('2,000 sends survive an orderly stop in the middle without a single second copy', async () => {
  const outcome = await sendThrough('an orderly stop', SLOW_MS, ({ system }) => system.restart());

  expect(outcome).toEqual({ secondCopies: 0, recovered: 0 });
});
