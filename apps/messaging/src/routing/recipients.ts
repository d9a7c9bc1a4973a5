import { Injectable } from '@nestjs/common';
import {
  type LoadedRecipient,
  type LoadedTenant,
  type LoadedTopic,
  type RecipientKey,
  type RecipientPart,
  recipients,
  RECIPIENTS_MAX,
} from '@tidings/contracts/identity/recipients';
import { OperationClient } from '@tidings/rpc/operation-client';
import { callService } from '../service-calls';

/** Data of identity about one recipient and the context of the message. */
interface RecipientContext {
  recipient?: LoadedRecipient;
  tenant?: LoadedTenant;
  topic?: LoadedTopic;
}

/** Loads the recipients of a batch from identity, each user once per tenant and topic. */
@Injectable()
export class Recipients {
  constructor(private readonly client: OperationClient) {}

  /** One result per key, in their order, empty for an undefined key. Rejects with `unavailable` while identity is unavailable. */
  async load(keys: readonly (RecipientKey | undefined)[], parts: readonly RecipientPart[]): Promise<RecipientContext[]> {
    const distinct = new Map(keys.flatMap((key) => (key ? [[nameOf(key), key] as const] : [])));
    const names = [...distinct.keys()];
    const found = new Map<string, RecipientContext>();
    while (found.size < names.length) {
      const page = names.slice(found.size, found.size + RECIPIENTS_MAX);
      const keysOfPage = page.map((name) => distinct.get(name)!);
      const loaded = await callService(this.client, recipients.load, { recipients: keysOfPage, with: [...parts] });
      if (loaded.recipients.length === 0) throw new Error(`identity returned none of ${page.length} recipients`);
      const tenants = new Map(loaded.tenants.map((tenant) => [scopedId(tenant.workspace_id, tenant.tenant_id), tenant]));
      const topics = new Map(loaded.topics.map((topic) => [scopedId(topic.workspace_id, topic.topic_id), topic]));
      loaded.recipients.forEach((recipient, index) => {
        const { workspace_id, topic_id } = distinct.get(page[index]!)!;
        const tenant = recipient.tenant_id === undefined ? undefined : tenants.get(scopedId(workspace_id, recipient.tenant_id));
        const topic = topic_id === undefined ? undefined : topics.get(scopedId(workspace_id, topic_id));
        found.set(page[index]!, { recipient, tenant, topic });
      });
    }
    return keys.map((key) => (key ? found.get(nameOf(key))! : {}));
  }
}

function nameOf({ workspace_id, user_id, tenant_id, topic_id }: RecipientKey) {
  if (user_id !== undefined && tenant_id === undefined && topic_id === undefined) return `${workspace_id}:${user_id}`;
  return JSON.stringify([workspace_id, user_id, tenant_id, topic_id]);
}

function scopedId(workspaceId: string, id: string) {
  return `${workspaceId}:${id}`;
}
