import { CapturingSmtp, EVERYBODY } from '@tidings/testing/capturing-smtp';
import { allDelivered } from './testing/delivered';
import { report } from './testing/report';
import { SendLoad } from './testing/send-load';
import { System } from './testing/system';

jest.setTimeout(180_000);

const SENDS = 2_000;
const CONNECTIONS = 16;
/** So many promises are given when the process is killed. */
const ACCEPTED_BEFORE_KILL = 600;
/** For all messages together, an orphaned lease's end included. */
const DELIVERY_TIMEOUT_MS = 90_000;
/** Of so many messages one is looked at closely. */
const SAMPLE_EVERY = 20;
const RECOVERED = 'tidings_delivery_attempts_recovered_total';

describe('kill -9 in the middle of 2,000 sends', () => {
  it.each([
    { speed: 'quick', slowMs: 0 },
    { speed: 'slow', slowMs: 30 },
  ])(
    'with a $speed mail server: every 202 is delivered, second copies are no more than the attempts open then',
    async ({ speed, slowMs }) => {
      const smtp = await CapturingSmtp.start({ withoutContent: true });
      smtp.treat(EVERYBODY, { slowMs });
      const system = await System.start({ smtpUrl: smtp.url });
      try {
        const load = new SendLoad(system.client, `crash-${speed}`);
        let back: Promise<void> | undefined;
        await load.flood(SENDS, CONNECTIONS, ({ status }) => {
          if (!back && load.accepted.length >= ACCEPTED_BEFORE_KILL) back = system.kill().then(() => system.restart());
          return status === 'lost' ? back : undefined;
        });
        await back;

        const promised = load.accepted;
        await allDelivered(
          system.client,
          promised.map(({ id }) => id),
          DELIVERY_TIMEOUT_MS,
        );

        const copies = [...smtp.copies().values()];
        const secondCopies = copies.reduce((sum, count) => sum + count - 1, 0);
        const recovered = await system.metrics(RECOVERED);
        report(
          `kill -9, ${speed} mail server: ${promised.length} × 202 (${JSON.stringify(load.tally)}), open attempts ${recovered}, second copies ${secondCopies}`,
        );

        const received = new Map<string, Set<string>>();
        for (const { envelope, messageId } of smtp.mails) {
          for (const email of envelope.to) received.set(email, (received.get(email) ?? new Set()).add(messageId));
        }
        expect(promised.filter(({ email }) => !received.has(email))).toEqual([]);
        for (const { id } of promised.filter((_, index) => index % SAMPLE_EVERY === 0)) {
          const history = await system.client.history(id);
          expect(history.map(({ type }) => type)).toEqual(['ENQUEUED', 'PROFILE_LOADED', 'ROUTED', 'RENDERED', 'SENT', 'DELIVERED']);
        }
        // Those without an answer were kept or not; none of them hangs half-way.
        const unfinished = await system.client.get<{ results: unknown[] }>('/messages?status=ENQUEUED,ROUTED,SENT');
        expect(unfinished.body.results).toEqual([]);
        // A repeat carries the Message-ID of the first, so that it can be recognised as one.
        expect([...received].filter(([, messageIds]) => messageIds.size !== 1)).toEqual([]);
        expect(load.sent).toHaveLength(SENDS);
        expect(promised.length).toBeGreaterThan(SENDS - 2 * CONNECTIONS);
        expect(Object.keys(load.tally).filter((status) => status !== '202' && status !== 'lost')).toEqual([]);
        expect(load.tally.lost).toBeGreaterThan(0);
        expect(secondCopies).toBeLessThanOrEqual(recovered);
        if (slowMs > 0) expect(recovered).toBeGreaterThan(0);
      } finally {
        await system.stop();
        await smtp.close();
      }
    },
  );
});
