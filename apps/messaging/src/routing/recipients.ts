import { randomUUID } from 'node:crypto';
import { systemContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import {
  type LoadedRecipient,
  type LoadedRecipients,
  type LoadedTenant,
  type LoadedTopic,
  type RecipientKey,
  type RecipientPart,
  recipients,
  RECIPIENTS_MAX,
} from '@tidings/contracts/identity/recipients';
import type { OperationClient } from '@tidings/rpc/operation-client';

/** What identity knows of one recipient and the context of the message. */
interface KnownRecipient {
  recipient?: LoadedRecipient;
  tenant?: LoadedTenant;
  topic?: LoadedTopic;
}

/** Asks identity about the recipients of a batch, each user once per context and topic. */
export class Recipients {
  constructor(private readonly client: OperationClient) {}

  /** In the order asked. Rejects with `unavailable` while identity cannot answer. */
  async load(asked: readonly (RecipientKey | undefined)[], parts: readonly RecipientPart[]): Promise<KnownRecipient[]> {
    const wanted = new Map(asked.flatMap((key) => (key ? [[nameOf(key), key] as const] : [])));
    const names = [...wanted.keys()];
    const found = new Map<string, KnownRecipient>();
    while (found.size < names.length) {
      const page = names.slice(found.size, found.size + RECIPIENTS_MAX);
      const loaded = await this.ask(
        page.map((name) => wanted.get(name)!),
        parts,
      );
      if (loaded.recipients.length === 0) throw new Error(`identity answered none of ${page.length} recipients`);
      const tenants = new Map(loaded.tenants.map((tenant) => [placeName(tenant.workspace_id, tenant.tenant_id), tenant]));
      const topics = new Map(loaded.topics.map((topic) => [placeName(topic.workspace_id, topic.topic_id), topic]));
      loaded.recipients.forEach((recipient, index) => {
        const { workspace_id, topic_id } = wanted.get(page[index]!)!;
        const tenant = recipient.tenant_id === undefined ? undefined : tenants.get(placeName(workspace_id, recipient.tenant_id));
        const topic = topic_id === undefined ? undefined : topics.get(placeName(workspace_id, topic_id));
        found.set(page[index]!, { recipient, ...(tenant && { tenant }), ...(topic && { topic }) });
      });
    }
    return asked.map((key) => (key ? found.get(nameOf(key))! : {}));
  }

  /** That identity fails is no fault of the recipients: unless it refuses them, it is asked again. */
  private async ask(keys: RecipientKey[], parts: readonly RecipientPart[]): Promise<LoadedRecipients> {
    try {
      return await this.client.call(recipients.load, systemContext(randomUUID()), { recipients: keys, with: [...parts] });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === 'invalid_request') throw error;
      throw new ServiceError('unavailable', `identity cannot load ${keys.length} recipients now: ${error.message}`);
    }
  }
}

function nameOf({ workspace_id, user_id, tenant_id, topic_id }: RecipientKey): string {
  if (user_id !== undefined && tenant_id === undefined && topic_id === undefined) return `${workspace_id}:${user_id}`;
  return JSON.stringify([workspace_id, user_id, tenant_id, topic_id]);
}

function placeName(workspaceId: string, id: string): string {
  return `${workspaceId}:${id}`;
}
