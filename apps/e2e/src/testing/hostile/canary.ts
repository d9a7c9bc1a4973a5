import { isDeepStrictEqual } from 'node:util';
import type { ApiClient } from '../api-client';

/** What was written before, and must stay as it is: a profile and a message. */
export class Canary {
  private constructor(
    private readonly client: ApiClient,
    readonly userId: string,
    readonly messageId: string,
    private readonly first: readonly unknown[],
  ) {}

  /** Writes `text` into a profile and a message; resolves when that is delivered, and changes no more by itself. */
  static async released(client: ApiClient, userId: string, text: string): Promise<Canary> {
    await client.request('PUT', `/profiles/${userId}`, { body: { profile: { name: text, nested: { list: [1, 'two', null] } } } });
    const messageId = await client.send('canary@example.com', { data: { order: text } });
    await client.messageOnce('DELIVERED', messageId);
    return new Canary(client, userId, messageId, await look(client, userId, messageId));
  }

  /** What is no longer as it was. */
  async changes(): Promise<string[]> {
    const now = await look(this.client, this.userId, this.messageId);
    return isDeepStrictEqual(now, this.first) ? [] : [`good data changed: ${JSON.stringify(this.first)} is ${JSON.stringify(now)}`];
  }
}

async function look(client: ApiClient, userId: string, messageId: string): Promise<unknown[]> {
  const answers = [];
  for (const path of [`/profiles/${userId}`, `/messages/${messageId}`, `/messages/${messageId}/history`])
    answers.push(await client.get(path));
  return answers.map(({ status, body }) => ({ status, body }));
}
