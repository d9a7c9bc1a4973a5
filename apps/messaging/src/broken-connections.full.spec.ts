import { randomUUID } from 'node:crypto';
import { startTcpProxy, type TcpProxy } from '@tidings/testing/tcp-proxy';
import { waitUntil } from '@tidings/testing/wait-until';
import { Messaging } from './testing/start-messaging';

/** The promise: a message continues within this time of the database being reachable again, without a new send. */
const RESUMES_MS = 10_000;
const DELAY_MS = 1_000;
const MOMENTS = ['before', 'after'] as const;

/** Longer than a call may take for its message to be stored with the outcome. */
const SLOW_MS = 500;
/** Statements the service runs for a message, for one whose call takes long, and for one that is delayed. */
const STATEMENTS: readonly { statement: string; isDelayed?: boolean; isSlow?: boolean }[] = [
  { statement: 'messaging.store_steps' },
  { statement: 'messaging.finish_deliveries', isSlow: true },
  { statement: 'messaging.open_together_oldest', isDelayed: true },
  { statement: 'messaging.open_together_next_due', isDelayed: true },
];
const BREAKS = STATEMENTS.flatMap((one) => MOMENTS.map((when) => ({ when, ...one })));

describe('a message whose service loses its database connection', () => {
  let messaging: Messaging;
  let proxy: TcpProxy;

  beforeAll(async () => {
    messaging = await Messaging.create();
    proxy = await startTcpProxy(messaging.database.urlOf('messaging'));
    await messaging.start('', { databaseUrl: proxy.url });
  });
  afterEach(() => proxy.cutAt(undefined, 'before'));
  afterAll(async () => {
    await messaging.end();
    await proxy.close();
  });

  const delivered = async (id: string, email: string): Promise<void> => {
    const options = { timeoutMs: RESUMES_MS };
    await messaging.smtp.waitForMailsTo(email, 1, options);
    const isDelivered = async (): Promise<boolean> => (await messaging.statusOf(id)) === 'DELIVERED';
    await waitUntil(isDelivered, { what: 'the message to be DELIVERED', ...options });
  };

  it.each(BREAKS)('is delivered after a break $when the database runs "$statement"', async ({ when, statement, isDelayed, isSlow }) => {
    const email = `${randomUUID()}@example.com`;
    if (isSlow) messaging.smtp.treat(email, { slowMs: SLOW_MS });

    proxy.cutAt(statement, when);
    const delay = { untilMs: Date.now() + DELAY_MS };
    const [id] = await messaging.send({ profile: { email }, ...(isDelayed && { delay }) });
    await waitUntil(() => proxy.cuts > 0, { what: `a break ${when} "${statement}"` });
    proxy.cutAt(undefined, when);

    await delivered(id!, email);
  });

  it.each(MOMENTS)('is delivered after a break %s the database leases a delivery that another break orphaned', async (when) => {
    const email = `${randomUUID()}@example.com`;

    // The message is stored, but the service does not know: the delivery is left to the lease query.
    proxy.cutAt('messaging.store_steps', 'after');
    const [id] = await messaging.send({ profile: { email } });
    await waitUntil(() => proxy.cuts > 0, { what: 'a break after the message was stored' });
    proxy.cutAt('messaging.deliveries_oldest', when);
    await waitUntil(() => proxy.cuts > 0, { what: `a break ${when} the lease` });
    proxy.cutAt(undefined, when);

    await delivered(id!, email);
  });
});
