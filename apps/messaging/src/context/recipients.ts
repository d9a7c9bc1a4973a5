import { type RecipientKey, type RecipientPart, recipients, RECIPIENTS_MAX } from '@tidings/contracts/identity/recipients';
import type { OperationClient } from '@tidings/rpc/operation-client';
import { callService } from '../service-calls';
import type { RoutingContext } from '../plan/routing-context';

/** Data of identity about one recipient and the context of the message. */
export type RecipientContext = Pick<RoutingContext, 'recipient' | 'tenant' | 'topic'>;

/**
 * Loads the recipients of a batch from identity, each user once per tenant and topic. One result per key, in their order, empty for an
 * undefined key. Rejects with `unavailable` while identity is unavailable.
 * @param onlyReads nothing is stored for users without a profile
 */
export async function loadRecipients(
  client: OperationClient,
  keys: readonly (RecipientKey | undefined)[],
  parts: RecipientPart[],
  onlyReads?: boolean,
): Promise<RecipientContext[]> {
  const distinct = [...new Map(keys.flatMap((key) => (key ? [[nameOf(key), key] as const] : [])))];
  const found = new Map<string, RecipientContext>();
  while (found.size < distinct.length) {
    const page = distinct.slice(found.size, found.size + RECIPIENTS_MAX);
    const loaded = await callService(client, recipients.load, {
      recipients: page.map(([, key]) => key),
      with: parts,
      only_reads: onlyReads,
    });
    if (loaded.recipients.length === 0) throw new Error(`identity returned none of ${page.length} recipients`);
    const tenants = new Map(loaded.tenants.map((tenant) => [scopedId(tenant.workspace_id, tenant.tenant_id), tenant]));
    const topics = new Map(loaded.topics.map((topic) => [scopedId(topic.workspace_id, topic.topic_id), topic]));
    loaded.recipients.forEach((recipient, index) => {
      const [name, { workspace_id, topic_id }] = page[index]!;
      const tenant = recipient.tenant_id === undefined ? undefined : tenants.get(scopedId(workspace_id, recipient.tenant_id));
      const topic = topic_id === undefined ? undefined : topics.get(scopedId(workspace_id, topic_id));
      found.set(name, { recipient, tenant, topic });
    });
  }
  return keys.map((key) => (key ? found.get(nameOf(key))! : {}));
}

function nameOf({ workspace_id, user_id, tenant_id, topic_id }: RecipientKey) {
  return JSON.stringify([workspace_id, user_id, tenant_id, topic_id]);
}

function scopedId(workspaceId: string, id: string) {
  return `${workspaceId}:${id}`;
}
