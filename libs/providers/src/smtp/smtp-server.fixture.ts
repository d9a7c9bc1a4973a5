import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import type { EmailRecipient, RenderedEmail } from '../email';
import type { Attempt, Outcome } from '../provider';
import { SmtpProvider } from './smtp-provider';
import { parseSmtpUrl } from './smtp-settings';

export interface Received {
  session: SMTPServerSession;
  raw: string;
  mail: Email;
}

/** A real SMTP server that stores the received mails. `refuse` answers at the end of a message; RCPT and MAIL refusals go in `options`. */
export class TestServer {
  readonly received: Received[] = [];
  readonly openConnections = new Set<string>();
  connectionCount = 0;
  port = 0;
  private server?: SMTPServer;

  constructor(
    private readonly options: SMTPServerOptions = {},
    private readonly refuse: (session: SMTPServerSession) => Error | null = () => null,
  ) {}

  async start(): Promise<this> {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: this.options.onAuth ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      logger: false,
      closeTimeout: 100,
      onConnect: ({ id }, done) => {
        this.connectionCount++;
        this.openConnections.add(id);
        done();
      },
      onClose: ({ id }) => void this.openConnections.delete(id),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const refusal = this.refuse(session);
          if (refusal) return done(refusal);
          const raw = Buffer.concat(chunks);
          void PostalMime.parse(raw).then((mail) => {
            this.received.push({
              session: structuredClone({ envelope: session.envelope, secure: session.secure }) as SMTPServerSession,
              raw: raw.toString('latin1'),
              mail,
            });
            done();
          });
        });
      },
      ...this.options,
    });
    server.on('error', () => undefined);
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.server.address() as AddressInfo).port;
    this.server = server;
    return this;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => (this.server ? this.server.close(() => resolve()) : resolve()));
    this.server = undefined;
  }
}

export const cleanUps: (() => Promise<void>)[] = [];
/** Stops what the test started; for `afterEach`. */
export async function cleanUp(): Promise<void> {
  for (const step of cleanUps.splice(0).reverse()) await step();
}

export async function start(options?: SMTPServerOptions, refuse?: (session: SMTPServerSession) => Error | null): Promise<TestServer> {
  const server = await new TestServer(options, refuse).start();
  cleanUps.push(() => server.stop());
  return server;
}

export function connect(server: { port: number }, query = '', login = '', overrides: { idleMs?: number } = {}): Mailer {
  const settings = parseSmtpUrl(`smtp://${login}127.0.0.1:${server.port}?from=shop@example.com&timeout=20000${query}`);
  const mailer = mailerOf(new SmtpProvider({ ...settings, ...overrides }));
  cleanUps.push(() => mailer.close());
  return mailer;
}

/** A provider whose every rendering is a mail. */
export interface Mailer {
  send(email: RenderedEmail, recipient: EmailRecipient, attempt: Attempt): Promise<Outcome>;
  close(): Promise<void>;
}

export function mailerOf(provider: SmtpProvider): Mailer {
  return {
    send: (email, recipient, attempt) => provider.send({ kind: 'email', email }, { channel: 'email', ...recipient }, attempt),
    close: () => provider.close(),
  };
}

let keys = 0;
export function attempt(overrides: Partial<Attempt> = {}): Attempt {
  const idempotencyKey = `key-${++keys}`;
  return {
    messageId: '1-5e2b2615-05efbb3acab9172f88dd3f6f',
    idempotencyKey,
    number: 1,
    renderedAt: new Date('2026-03-01T10:00:00Z'),
    ...overrides,
  };
}

export const MAIL = { subject: 'Shipped', text: 'Your order is on its way.\n', html: '<p>Your order is on its way.</p>' };

export function refusal(code: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode: code });
}

export async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 2_000 && !condition(); i++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(condition()).toBe(true);
}
