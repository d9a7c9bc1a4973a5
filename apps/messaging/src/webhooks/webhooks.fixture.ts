import { createHmac } from 'node:crypto';
import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import type { MessageDetails } from '@tidings/contracts/messaging/messages';
import { webhookDeliveries, type WebhookDelivery, webhooks, type WebhookWithSecret } from '@tidings/contracts/messaging/webhooks';
import { CapturingHttp, type Received } from '@tidings/testing/capturing-http';
import { waitUntil } from '@tidings/testing/wait-until';
import type { Messaging } from '../testing/start-messaging';

/** The statuses that a message sent by mail reports, in order. */
export const SENT_BY_MAIL: readonly MessageStatus[] = ['ENQUEUED', 'ROUTED', 'SENT', 'DELIVERED'];

interface UpdatedEvent {
  type: string;
  data: MessageDetails & { recipientId: string };
}

export function eventOf({ body }: Received): UpdatedEvent {
  return JSON.parse(body) as UpdatedEvent;
}

/** A webhook of the workspace of a messaging service, and its receiver. */
export class WebhookUnderTest {
  private constructor(
    private readonly messaging: Messaging,
    readonly receiver: CapturingHttp,
    readonly created: WebhookWithSecret,
  ) {}

  static async create(messaging: Messaging): Promise<WebhookUnderTest> {
    const receiver = await CapturingHttp.start();
    return new WebhookUnderTest(messaging, receiver, await messaging.call(webhooks.create, { url: receiver.url }));
  }

  get id(): string {
    return this.created.id;
  }

  /** The statuses of a message that were received, repetitions included. */
  received(messageId: string): MessageStatus[] {
    return this.requestsOf(messageId).map((one) => eventOf(one).data.status);
  }

  requestsOf(messageId: string): Received[] {
    return this.receiver.received.filter((one) => eventOf(one).data.id === messageId);
  }

  /** Waits until the receiver was posted these statuses of a message, and compares all. */
  async expectReceived(messageId: string, statuses: readonly MessageStatus[]): Promise<void> {
    const what = `${statuses.length} requests, the last with ${statuses.at(-1)}`;
    await waitUntil(() => this.received(messageId).length >= statuses.length, { what });
    await this.expectEnded(messageId);
    expect(this.received(messageId)).toEqual(statuses);
  }

  /** Waits until no delivery of a message is pending. */
  async expectEnded(messageId: string): Promise<void> {
    await waitUntil(async () => (await this.log(messageId)).every(({ result }) => result !== 'pending'), { what: 'the deliveries to end' });
  }

  /** The log of a message, the oldest event first. */
  async log(messageId: string): Promise<WebhookDelivery[]> {
    const { results } = await this.messaging.call(webhookDeliveries.list, { id: this.id, message_id: messageId });
    return results.reverse();
  }

  async end(): Promise<void> {
    await this.messaging.call(webhooks.remove, { id: this.id });
    await this.receiver.stop();
  }
}

/** Whether one of the signatures of each header is that of the secret. */
export function isSignedWith(secret: string, { headers, body }: Received): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': standard, 'courier-signature': courier } = headers;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key)
    .update(`${String(id)}.${String(seconds)}.${body}`)
    .digest('base64');
  const [time, ...signatures] = String(courier).split(',');
  const ms = time!.replace('t=', '');
  const hex = createHmac('sha256', secret).update(`${ms}.${body}`).digest('hex');
  return String(standard).split(' ').includes(`v1,${expected}`) && signatures.includes(`signature=${hex}`);
}
