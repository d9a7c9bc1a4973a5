import type { CapturingHttp } from '@tidings/testing/capturing-http';
import type { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import type { ApiClient } from './api-client';
import { mapConcurrently } from './map-concurrently';
import { SendLoad } from './send-load';

const SEND_EVERY_MS = 120;
/** Delay of a delayed send. */
const DELAY_MS = 3_000;
/** Items per request while the work is prepared. */
const CHUNK = 500;
const SECRET = 'a secret of some length';
const PHONE = '+4915123456789';
const CONTENT = { title: 'Order shipped', body: 'Your order has shipped.' };

/** Fake receivers of the sent messages. */
export interface Receivers {
  mail: CapturingSmtp;
  /** Text receivers: `refusing` is tried first and answers 400, `succeeding` accepts. */
  refusing: CapturingHttp;
  succeeding: CapturingHttp;
}

export interface MixSizes {
  subscribers: number;
  jobUsers: number;
}

type Kind = 'delayed' | 'otherChannel' | 'otherProvider';

/**
 * All multi-step work together: a list send by template, a bulk job, delayed sends, and sends whose first route fails over to
 * another channel or to another provider of the same channel.
 */
export class MixedWork {
  /** Request id of the list send. */
  listRequest = '';
  jobId = '';
  readonly loads: Record<Kind, SendLoad>;
  /** Earliest time of each delayed send, by recipient. */
  readonly dueAt = new Map<string, number>();
  private template = '';

  private constructor(
    private readonly client: ApiClient,
    private readonly receivers: Receivers,
    readonly sizes: MixSizes,
  ) {
    const routedBy = (channels: string[]) => (email: string) => ({
      to: { email, phone_number: PHONE },
      content: CONTENT,
      routing: { method: 'single', channels },
    });
    this.loads = {
      delayed: new SendLoad(client, 'delayed', (email) => {
        const at = Date.now() + DELAY_MS;
        this.dueAt.set(email, at);
        return { delay: { until: new Date(at).toISOString() } };
      }),
      otherChannel: new SendLoad(client, 'other-channel', routedBy(['refusing', 'email'])),
      otherProvider: new SendLoad(client, 'other-provider', routedBy(['sms'])),
    };
  }

  /** Creates providers, a template, a list with subscribers and a job with users; sends no message. */
  static async prepare(client: ApiClient, receivers: Receivers, sizes: MixSizes): Promise<MixedWork> {
    const work = new MixedWork(client, receivers, sizes);
    receivers.refusing.answer(400, { message: 'no such number' });
    receivers.succeeding.answer(200, { id: 'accepted' });
    for (const alias of ['refusing', 'succeeding'] as const) {
      const settings = { channel: 'sms', url: receivers[alias].url, secret: SECRET };
      await work.call('POST', '/providers', { provider: 'http', alias, settings });
    }
    await work.prepareList();
    await work.prepareJob();
    return work;
  }

  get subscribers(): string[] {
    return named('subscriber', this.sizes.subscribers);
  }

  get jobUsers(): string[] {
    return named('worker', this.sizes.jobUsers);
  }

  /** Starts all work. Sends continue until `signal` aborts; resolves once each is answered. */
  async run(signal: AbortSignal): Promise<void> {
    const message = { to: { list_id: 'everybody' }, template: this.template };
    this.listRequest = (await this.call<{ requestId: string }>('POST', '/send', { message })).requestId;
    await this.call('POST', `/bulk/${this.jobId}/run`);
    await Promise.all(Object.values(this.loads).map((load) => load.trickle(SEND_EVERY_MS, signal)));
  }

  /** Share of the list and job users with a mail, 0 to 1. */
  get progress(): number {
    return this.receivers.mail.copies().size / (this.sizes.subscribers + this.sizes.jobUsers);
  }

  /** Calls and mails beyond the first of each message at each receiver. */
  get secondCopies(): number {
    const { mail, refusing, succeeding } = this.receivers;
    const calls = [refusing, succeeding].map((receiver) => [...callsOf(receiver).values()]);
    return [...mail.copies().values(), ...calls.flat()].reduce((sum, count) => sum + count - 1, 0);
  }

  /** Ids of the sends answered with 202. */
  get acceptedIds(): string[] {
    return Object.values(this.loads).flatMap((load) => load.accepted.map(({ id }) => id));
  }

  /** Counts of answers by kind of send and status, as JSON. */
  get tally(): string {
    return JSON.stringify(Object.fromEntries(Object.entries(this.loads).map(([kind, load]) => [kind, load.tally])));
  }

  /** The job with the state of each of its users. */
  async job(): Promise<{ job: Record<string, unknown>; users: JobUser[] }> {
    const { job } = await this.call<{ job: Record<string, unknown> }>('GET', `/bulk/${this.jobId}`);
    const users: JobUser[] = [];
    for (let query = '', more = true; more;) {
      const page = await this.call<{ items: JobUser[]; paging: { cursor?: string; more: boolean } }>(
        'GET',
        `/bulk/${this.jobId}/users${query}`,
      );
      users.push(...page.items);
      more = page.paging.more;
      query = `?cursor=${encodeURIComponent(page.paging.cursor ?? '')}`;
    }
    return { job, users };
  }

  private async prepareList(): Promise<void> {
    const elements = [
      { type: 'meta', title: 'News for {name}' },
      { type: 'text', content: 'There is news.' },
    ];
    const notification = { name: 'News', tags: [], brand: null, subscription: null, routing: null };
    const content = { version: '2022-01-01', elements };
    const body = { notification: { ...notification, content }, state: 'PUBLISHED' };
    this.template = (await this.call<{ id: string }>('POST', '/notifications', body)).id;
    await mapConcurrently(this.subscribers, (user) =>
      this.call('PUT', `/profiles/${user}`, { profile: { email: `${user}@example.com`, name: user } }),
    );
    await this.call('PUT', '/lists/everybody', { name: 'Everybody' });
    for (const some of chunked(this.subscribers)) {
      await this.call('POST', '/lists/everybody/subscriptions', { recipients: some.map((recipientId) => ({ recipientId })) });
    }
  }

  private async prepareJob(): Promise<void> {
    this.jobId = (await this.call<{ jobId: string }>('POST', '/bulk', { message: { content: CONTENT } })).jobId;
    for (const some of chunked(this.jobUsers)) {
      const users = some.map((recipient) => ({ recipient, profile: { email: `${recipient}@example.com` } }));
      await this.call('POST', `/bulk/${this.jobId}`, { users });
    }
  }

  private async call<Body>(method: string, path: string, body?: object): Promise<Body> {
    const answer = await this.client.request<Body>(method, path, { body });
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

export interface JobUser {
  recipient: string;
  status: string;
  messageId?: string;
}

/** Calls of a receiver per Idempotency-Key. */
export function callsOf({ received }: CapturingHttp): Map<string, number> {
  const calls = new Map<string, number>();
  for (const { headers } of received) {
    const key = String(headers['idempotency-key']);
    calls.set(key, (calls.get(key) ?? 0) + 1);
  }
  return calls;
}

function named(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${name}-${String(n).padStart(5, '0')}`);
}

function chunked<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, n) => items.slice(n * CHUNK, (n + 1) * CHUNK));
}
