import { isDeepStrictEqual } from 'node:util';
import type { ApiClient } from '../api-client';

/** A profile and a message that hostile requests must not change. */
export class Canary {
  private constructor(
    private readonly client: ApiClient,
    readonly userId: string,
    readonly messageId: string,
    private readonly original: readonly unknown[],
  ) {}

  /** Writes `text` into a profile and a message; resolves once the message is delivered and final. */
  static async released(client: ApiClient, userId: string, text: string): Promise<Canary> {
    await client.request('PUT', `/profiles/${userId}`, { body: { profile: { name: text, nested: { list: [1, 'two', null] } } } });
    const messageId = await client.send('canary@example.com', { data: { order: text } });
    await client.messageOnce('DELIVERED', messageId);
    return new Canary(client, userId, messageId, await snapshot(client, userId, messageId));
  }

  /** Resolves with the differences from the original state. */
  async changes(): Promise<string[]> {
    const now = await snapshot(this.client, this.userId, this.messageId);
    return isDeepStrictEqual(now, this.original) ? [] : [`good data changed: ${JSON.stringify(this.original)} is ${JSON.stringify(now)}`];
  }
}

async function snapshot(client: ApiClient, userId: string, messageId: string): Promise<unknown[]> {
  const answers = [];
  for (const path of [`/profiles/${userId}`, `/messages/${messageId}`, `/messages/${messageId}/history`])
    answers.push(await client.get(path));
  return answers.map(({ status, body }) => ({ status, body }));
}
