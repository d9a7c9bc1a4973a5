import { Teardown } from '@tidings/runtime/teardown';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import type { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { waitUntil } from '@tidings/testing/wait-until';
import Courier from '@trycourier/courier';
import type { ApiClient, HistoryEvent, MessageRecord } from './api-client';
import { SharedSystem } from './shared-system';
import type { System } from './system';
import { tearDown } from './tear-down';

/** Upper bounds of waits; tests do not measure them. */
const WAIT = { timeoutMs: 60_000, intervalMs: 50 };

export type TopicDefault = 'OPTED_IN' | 'OPTED_OUT' | 'REQUIRED';
export type Topics = Record<TopicDefault, string>;

/** A workspace with a mail server, a receiver of text messages and subscription topics. */
export class SendingFixture {
  readonly phone = '+4915123456789';
  private phones = 0;
  private readonly teardown = new Teardown();
  smtp!: CapturingSmtp;
  /** Receiver of text messages; answers 200 by default. */
  sms!: CapturingHttp;
  system!: SharedSystem;
  client!: ApiClient;
  sdk!: Courier;
  /** Id of the preference section of the topics. */
  section!: string;
  /** Topic ids by default status; each topic is named after its default. */
  topics!: Topics;
  private count = 0;

  private constructor() {}

  static async start(system?: System): Promise<SendingFixture> {
    const fixture = new SendingFixture();
    try {
      await fixture.setUp(system);
    } catch (error) {
      await fixture.teardown.run(); // the first error is the cause
      throw error;
    }
    return fixture;
  }

  /** Rejects when a resource did not end in order. */
  end(): Promise<void> {
    return tearDown(this.teardown);
  }

  /** A name that no other test uses. */
  name(kind: string): string {
    this.count += 1;
    return `${kind}-${this.count}`;
  }

  /** Answers 200 to text messages from now on. */
  acceptTexts(): void {
    this.sms.answer(200, { id: 'accepted' });
  }

  /** Resolves with the body of a successful answer; rejects with status and body otherwise. */
  async call<Body = unknown>(method: string, path: string, body?: object, client = this.client): Promise<Body> {
    const answer = await client.request<Body>(method, path, { body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Sends a short text, overridden by `message`; resolves with the request id. */
  async send(message: object, client = this.client): Promise<string> {
    const content = { title: 'Hello {name}', body: 'A short text.' };
    return (await this.call<{ requestId: string }>('POST', '/send', { message: { content, ...message } }, client)).requestId;
  }

  /** Resolves with the record once it has that status. */
  once(status: string, id: string, client = this.client): Promise<MessageRecord> {
    return client.messageOnce(status, id, WAIT);
  }

  async historyTypes(id: string): Promise<string[]> {
    return (await this.client.history(id)).map(({ type }) => type);
  }

  async lastEvent(id: string): Promise<HistoryEvent> {
    return (await this.client.history(id)).at(-1)!;
  }

  /** Resolves with the messages of a request, once there are at least `count`. */
  messagesOf(requestId: string, count: number): Promise<MessageRecord[]> {
    return waitUntil(
      async () => {
        const { results } = await this.call<{ results: MessageRecord[] }>('GET', `/messages?traceId=${requestId}`);
        return results.length >= count ? results : undefined;
      },
      { ...WAIT, what: `${count} messages of ${requestId}` },
    );
  }

  /** Waits until `condition` resolves with true. */
  until(what: string, condition: () => Promise<boolean>): Promise<unknown> {
    return waitUntil(condition, { ...WAIT, what });
  }

  /** A phone number of one message: a bounce keeps later ones from it. */
  newPhone(): string {
    this.phones += 1;
    return `+49151${String(this.phones).padStart(8, '0')}`;
  }

  /** Stores a profile with e-mail address and phone number; resolves with the user id. */
  async user(userId = this.name('user')): Promise<string> {
    await this.sdk.profiles.replace(userId, { profile: { email: `${userId}@example.com`, phone_number: this.phone } });
    return userId;
  }

  /** Creates a template, published unless `isDraft`; resolves with its id. */
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
    return (await this.call<{ id: string }>('POST', '/notifications', body)).id;
  }

  /** A client of a new workspace whose key only simulates. */
  testClient(): Promise<ApiClient> {
    return this.system.otherClient('test');
  }

  private async setUp(system: System | undefined): Promise<void> {
    this.sms = await CapturingHttp.start();
    this.teardown.add('the receiver', () => this.sms.stop());
    this.acceptTexts();
    this.system = await SharedSystem.join({ mail: true, system });
    this.teardown.add('the workspace', () => this.system.leave());
    this.smtp = this.system.smtp;
    this.client = this.system.client;
    this.sdk = new Courier({ apiKey: this.system.key, baseURL: this.system.url });
    const settings = { channel: 'sms', url: this.sms.url, secret: 'a secret of some length' };
    await this.sdk.providers.create({ provider: 'http', alias: 'texts', settings });
    this.section = (await this.call<{ id: string }>('POST', '/preferences/sections', { name: 'All' })).id;
    this.topics = {
      OPTED_IN: await this.topic('OPTED_IN'),
      OPTED_OUT: await this.topic('OPTED_OUT'),
      REQUIRED: await this.topic('REQUIRED'),
    };
  }

  private async topic(default_status: TopicDefault): Promise<string> {
    const path = `/preferences/sections/${this.section}/topics`;
    return (await this.call<{ id: string }>('POST', path, { name: default_status, default_status })).id;
  }
}
