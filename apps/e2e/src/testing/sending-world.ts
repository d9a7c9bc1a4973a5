import { Teardown } from '@tidings/runtime/teardown';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import type { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { waitUntil } from '@tidings/testing/wait-until';
import Courier from '@trycourier/courier';
import type { ApiClient, HistoryEvent, MessageRecord } from './api-client';
import { SharedSystem } from './shared-system';
import type { System } from './system';
import { tearDown } from './tear-down';

/** What a story may wait for; nothing is measured with it. */
const WAIT = { timeoutMs: 60_000, intervalMs: 50 };

export type TopicDefault = 'OPTED_IN' | 'OPTED_OUT' | 'REQUIRED';
export type Topics = Record<TopicDefault, string>;

/** A workspace of the product with a mail server, a receiver of text messages, and topics: what messages of every kind are sent in. */
export class SendingWorld {
  readonly phone = '+4915123456789';
  private readonly teardown = new Teardown();
  smtp!: CapturingSmtp;
  /** Where text messages go; takes every one until told otherwise. */
  sms!: CapturingHttp;
  system!: SharedSystem;
  client!: ApiClient;
  sdk!: Courier;
  /** The section that the topics stand in. */
  section!: string;
  /** A topic of each default, called as its default. */
  topics!: Topics;
  private count = 0;

  private constructor() {}

  static async start(system?: System): Promise<SendingWorld> {
    const world = new SendingWorld();
    try {
      await world.begin(system);
    } catch (error) {
      await world.teardown.run(); // the first error is the one that says why
      throw error;
    }
    return world;
  }

  /** Rejects when anything did not end in order. */
  end(): Promise<void> {
    return tearDown(this.teardown);
  }

  /** A name that no other story uses. */
  name(kind: string): string {
    this.count += 1;
    return `${kind}-${this.count}`;
  }

  /** Text messages are taken from now on. */
  takeTexts(): void {
    this.sms.answer(200, { id: 'taken' });
  }

  /** The body of an answer; one that is no success is an error that shows it. */
  async ask<Body = unknown>(method: string, path: string, body?: object, client = this.client): Promise<Body> {
    const answer = await client.request<Body>(method, path, { body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Sends a short text, or what `message` says instead; resolves with the request's id. */
  async send(message: object, client = this.client): Promise<string> {
    const content = { title: 'Hello {name}', body: 'A short text.' };
    return (await this.ask<{ requestId: string }>('POST', '/send', { message: { content, ...message } }, client)).requestId;
  }

  /** The record once it has that status. */
  once(status: string, id: string, client = this.client): Promise<MessageRecord> {
    return client.messageOnce(status, id, WAIT);
  }

  async told(id: string): Promise<string[]> {
    return (await this.client.history(id)).map(({ type }) => type);
  }

  async lastTold(id: string): Promise<HistoryEvent> {
    return (await this.client.history(id)).at(-1)!;
  }

  /** The messages of a request, once there are as many. */
  messagesOf(requestId: string, count: number): Promise<MessageRecord[]> {
    return waitUntil(
      async () => {
        const { results } = await this.ask<{ results: MessageRecord[] }>('GET', `/messages?traceId=${requestId}`);
        return results.length >= count ? results : undefined;
      },
      { ...WAIT, what: `${count} messages of ${requestId}` },
    );
  }

  /** Waits until `look` is true of something. */
  until(what: string, look: () => Promise<boolean>): Promise<unknown> {
    return waitUntil(look, { ...WAIT, what });
  }

  /** A user who can be reached by mail and by text message. */
  async user(userId = this.name('user')): Promise<string> {
    await this.sdk.profiles.replace(userId, { profile: { email: `${userId}@example.com`, phone_number: this.phone } });
    return userId;
  }

  /** A template, published unless it is to be a draft; resolves with its id. */
  async template({ topic, isDraft, ...fields }: { topic?: string; isDraft?: boolean; [field: string]: unknown } = {}): Promise<string> {
    const notification = {
      name: this.name('Template'),
      tags: [],
      brand: null,
      subscription: topic === undefined ? null : { topic_id: topic },
      routing: null,
      content: {
        version: '2022-01-01',
        elements: [
          { type: 'meta', title: 'Hello' },
          { type: 'text', content: 'A short text.' },
        ],
      },
      ...fields,
    };
    const body = { notification, ...(isDraft ? {} : { state: 'PUBLISHED' }) };
    return (await this.ask<{ id: string }>('POST', '/notifications', body)).id;
  }

  /** A client whose key only simulates, of a workspace of its own. */
  testClient(): Promise<ApiClient> {
    return this.system.otherClient('test');
  }

  private async begin(system: System | undefined): Promise<void> {
    this.sms = await CapturingHttp.start();
    this.teardown.add('the receiver', () => this.sms.stop());
    this.takeTexts();
    this.system = await SharedSystem.join({ mail: true, system });
    this.teardown.add('the workspace', () => this.system.leave());
    this.smtp = this.system.smtp;
    this.client = this.system.client;
    this.sdk = new Courier({ apiKey: this.system.key, baseURL: this.system.url });
    const settings = { channel: 'sms', url: this.sms.url, secret: 'a secret of some length' };
    await this.sdk.providers.create({ provider: 'http', alias: 'texts', settings });
    this.section = (await this.ask<{ id: string }>('POST', '/preferences/sections', { name: 'All' })).id;
    this.topics = {
      OPTED_IN: await this.topic('OPTED_IN'),
      OPTED_OUT: await this.topic('OPTED_OUT'),
      REQUIRED: await this.topic('REQUIRED'),
    };
  }

  private async topic(default_status: TopicDefault): Promise<string> {
    const path = `/preferences/sections/${this.section}/topics`;
    return (await this.ask<{ id: string }>('POST', path, { name: default_status, default_status })).id;
  }
}
