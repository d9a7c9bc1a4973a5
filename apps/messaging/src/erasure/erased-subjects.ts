import { messageIdToUuid, uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { providerEventReported } from '@tidings/contracts/messaging/provider-events';
import { type Queryable, statement } from '@tidings/persistence/database';
import { ERASED } from '../record/erased';

// SQL because messages and references have no entity.
const MESSAGES = statement(
  'messaging.erased_messages_among',
  `select id from messages where workspace_id = $1 and id = any($2::uuid[]) and recipient = '${ERASED}'`,
);
/** The configurations come first: with each of them the primary key finds a reference. */
const REFERENCES = statement(
  'messaging.erased_references_among',
  `select reference from provider_references
     join (select configuration_id from provider_callbacks where workspace_id = $1) as configurations using (configuration_id)
     join unnest($2::text[]) as input (reference) using (reference)
     join messages on messages.workspace_id = $1 and messages.id = provider_references.message_id
    where provider_references.workspace_id = $1 and messages.recipient = '${ERASED}'`,
);

/** Of the subjects of what providers reported, those of messages to erased persons; none of another topic, dead letters excepted. */
export async function erasedAmong(
  connection: Queryable,
  workspaceId: string,
  topic: string,
  subjects: readonly string[],
): Promise<string[]> {
  if (topic.replace(/\.dead$/, '') !== providerEventReported.topic) return [];
  const uuids = subjects.flatMap((subject) => messageIdToUuid(subject) ?? []);
  const references = subjects.filter((subject) => messageIdToUuid(subject) === undefined);
  const [ofMessages, ofReferences] = await Promise.all([
    uuids.length > 0 ? connection.query<{ id: string }>(MESSAGES, [workspaceId, uuids]) : [],
    references.length > 0 ? connection.query<{ reference: string }>(REFERENCES, [workspaceId, references]) : [],
  ]);
  return [...ofMessages.map(({ id }) => uuidToMessageId(id)), ...ofReferences.map(({ reference }) => reference)];
}
