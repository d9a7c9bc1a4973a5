import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { waitUntil } from '@tidings/testing/wait-until';
import type { Answer } from './testing/api-client';
import { untilAllDelivered } from './testing/delivered';
import { mapConcurrently } from './testing/map-concurrently';
import { System } from './testing/system';
import { withTeardown } from './testing/tear-down';

const SENDS = 200;
/** Answered sends before the kill. */
const ANSWERED_BEFORE = 60;
const DELIVERY_TIMEOUT_MS = 90_000;
/** Includes the lease of a key whose process was killed. */
const SETTLED = { timeoutMs: 60_000 };

it('an Idempotency-Key creates one message per send when all processes are killed and the sends are retried', () =>
  withTeardown(async (teardown) => {
    const smtp = await CapturingSmtp.start({ withoutContent: true });
    teardown.add('the mail server', () => smtp.close());
    const system = await System.start({ smtpUrl: smtp.url });
    teardown.add('the product', () => system.stop());
    const send = (email: string, key: string): Promise<Answer<{ requestId: string }>> =>
      system.client.request('POST', '/send', {
        body: { message: { to: { email }, content: { title: 'Shipped', body: 'Your order has shipped.' } } },
        headers: { 'idempotency-key': key },
      });
    /** The answer once no other request with the key is in flight. */
    const settled = (email: string, key: string): Promise<Answer<{ requestId: string }>> =>
      waitUntil(async () => {
        const answer = await send(email, key);
        return answer.headers.has('retry-after') ? undefined : answer;
      }, SETTLED);

    const sends = Array.from({ length: SENDS }, (_, n) => ({ email: `storm-${n}@example.com`, key: `storm-${n}` }));
    const before = new Map<string, string>();
    let back: Promise<void> | undefined;
    await mapConcurrently(sends, async ({ email, key }) => {
      const answer = await send(email, key).catch(() => undefined);
      if (answer?.status === 202) before.set(email, answer.body.requestId);
      if (!back && before.size >= ANSWERED_BEFORE) back = system.kill().then(() => system.restart());
      if (!answer) await back;
    });
    await back;

    const ids = new Map<string, string>();
    await mapConcurrently(sends, async ({ email, key }) => {
      const answer = await settled(email, key);
      expect(answer.status).toBe(202);
      ids.set(email, answer.body.requestId);
    });

    expect(before.size).toBeGreaterThanOrEqual(ANSWERED_BEFORE);
    expect([...before].filter(([email, id]) => ids.get(email) !== id)).toEqual([]);
    await untilAllDelivered(system.client, [...ids.values()], DELIVERY_TIMEOUT_MS);
    await mapConcurrently(sends, async ({ email }) => {
      const { body } = await system.client.get<{ results: unknown[] }>(`/messages?recipient=${email}`);
      expect([email, body.results.length]).toEqual([email, 1]);
      const messageIds = new Set(smtp.mails.filter(({ envelope }) => envelope.to.includes(email)).map(({ messageId }) => messageId));
      expect([email, messageIds.size]).toEqual([email, 1]);
    });
  }));
