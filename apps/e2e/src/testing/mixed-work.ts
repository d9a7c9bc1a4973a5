import type { CapturingHttp } from '@tidings/testing/capturing-http';
import type { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import type { ApiClient } from './api-client';
import { mapSome } from './map-some';
import { SendLoad } from './send-load';

const SEND_EVERY_MS = 120;
/** How far ahead of its acceptance a delayed send is due. */
const DELAY_MS = 3_000;
/** Items of one request while the work is prepared. */
const CHUNK = 500;
const SECRET = 'a secret of some length';
const PHONE = '+4915123456789';
const CONTENT = { title: 'Order shipped', body: 'Your order has shipped.' };

/** Where what is sent arrives. */
export interface Receivers {
  mail: CapturingSmtp;
  /** Of text messages: the one that is tried first, and refuses whatever it gets; and the one that takes it. */
  refusing: CapturingHttp;
  taking: CapturingHttp;
}

export interface MixSizes {
  subscribers: number;
  jobUsers: number;
}

type Kind = 'delayed' | 'otherChannel' | 'otherProvider';

/**
 * Everything at once that takes more than one step: a send to a list by a template, a bulk job, sends for later, and sends whose
 * first way refuses them: the next one is another channel, or another provider of the same channel.
 */
export class MixedWork {
  /** The request to the list. */
  listRequest = '';
  jobId = '';
  readonly loads: Record<Kind, SendLoad>;
  /** When a delayed send may go at the earliest, by its recipient. */
  readonly dueAt = new Map<string, number>();
  private template = '';

  private constructor(
    private readonly client: ApiClient,
    private readonly receivers: Receivers,
    readonly sizes: MixSizes,
  ) {
    const ways = (channels: string[]) => (email: string) => ({
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
      otherChannel: new SendLoad(client, 'other-channel', ways(['refusing', 'email'])),
      otherProvider: new SendLoad(client, 'other-provider', ways(['sms'])),
    };
  }

  /** Makes what the work needs: providers, a template, a list with its subscribers, a job with its users. Nothing is sent. */
  static async prepare(client: ApiClient, receivers: Receivers, sizes: MixSizes): Promise<MixedWork> {
    const work = new MixedWork(client, receivers, sizes);
    receivers.refusing.answer(400, { message: 'no such number' });
    receivers.taking.answer(200, { id: 'taken' });
    for (const alias of ['refusing', 'taking'] as const) {
      const settings = { channel: 'sms', url: receivers[alias].url, secret: SECRET };
      await work.ask('POST', '/providers', { provider: 'http', alias, settings });
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

  /** Begins everything. Sends go on until `signal` aborts; resolves then, when each is answered. */
  async run(signal: AbortSignal): Promise<void> {
    const message = { to: { list_id: 'everybody' }, template: this.template };
    this.listRequest = (await this.ask<{ requestId: string }>('POST', '/send', { message })).requestId;
    await this.ask('POST', `/bulk/${this.jobId}/run`);
    await Promise.all(Object.values(this.loads).map((load) => load.trickle(SEND_EVERY_MS, signal)));
  }

  /** Which part of the list and of the job has its mail. */
  get progress(): number {
    return this.receivers.mail.copies().size / (this.sizes.subscribers + this.sizes.jobUsers);
  }

  /** Calls and mails beyond the first of each message at each receiver. */
  get secondCopies(): number {
    const { mail, refusing, taking } = this.receivers;
    const calls = [refusing, taking].map((receiver) => [...callsOf(receiver).values()]);
    return [...mail.copies().values(), ...calls.flat()].reduce((sum, count) => sum + count - 1, 0);
  }

  /** Ids of the sends that were answered with 202. */
  get acceptedIds(): string[] {
    return Object.values(this.loads).flatMap((load) => load.accepted.map(({ id }) => id));
  }

  /** How often each answer was given, by kind. */
  get tally(): string {
    return JSON.stringify(Object.fromEntries(Object.entries(this.loads).map(([kind, load]) => [kind, load.tally])));
  }

  /** The job, with what became of each of its users. */
  async job(): Promise<{ job: Record<string, unknown>; users: JobUser[] }> {
    const { job } = await this.ask<{ job: Record<string, unknown> }>('GET', `/bulk/${this.jobId}`);
    const users: JobUser[] = [];
    for (let query = '', more = true; more;) {
      const page = await this.ask<{ items: JobUser[]; paging: { cursor?: string; more: boolean } }>(
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
    this.template = (await this.ask<{ id: string }>('POST', '/notifications', body)).id;
    await mapSome(this.subscribers, (user) =>
      this.ask('PUT', `/profiles/${user}`, { profile: { email: `${user}@example.com`, name: user } }),
    );
    await this.ask('PUT', '/lists/everybody', { name: 'Everybody' });
    for (const some of chunked(this.subscribers)) {
      await this.ask('POST', '/lists/everybody/subscriptions', { recipients: some.map((recipientId) => ({ recipientId })) });
    }
  }

  private async prepareJob(): Promise<void> {
    this.jobId = (await this.ask<{ jobId: string }>('POST', '/bulk', { message: { content: CONTENT } })).jobId;
    for (const some of chunked(this.jobUsers)) {
      const users = some.map((recipient) => ({ recipient, profile: { email: `${recipient}@example.com` } }));
      await this.ask('POST', `/bulk/${this.jobId}`, { users });
    }
  }

  private async ask<Body>(method: string, path: string, body?: object): Promise<Body> {
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

/** How often a receiver was called for each message. */
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
