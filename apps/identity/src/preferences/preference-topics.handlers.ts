import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import {
  type CreateTopic,
  type NamedTopic,
  type PreferenceTopic,
  type PreferenceTopics,
  preferenceTopics,
  type ReplaceTopic,
  TOPIC_DATA_BYTES_MAX,
  type TopicFields,
  type TopicsOfSection,
} from '@tidings/contracts/identity/preference-topics';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database, type Queryable, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { storableObject } from '@tidings/contracts/core/storable-object';
import { newId } from '@tidings/persistence/new-id';
import { assertSectionsFit, bytesOf, lockSections } from './section-bounds';
import { SELECT_SECTION, SELECT_TOPICS, TOPIC_COLUMNS, type TopicRow, toTopic } from './section.rows';

const INSERT = statement(
  'preference-topics-insert',
  `insert into preference_topics (workspace_id, section_id, topic_id, name, default_status, allowed_preferences, description,
                                  include_unsubscribe_header, routing_options, topic_data, bytes)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning ${TOPIC_COLUMNS}`,
);
const RETRIEVE = statement(
  'preference-topics-retrieve',
  `select ${TOPIC_COLUMNS} from preference_topics where workspace_id = $1 and section_id = $2 and topic_id = $3`,
);
const UPDATE = statement(
  'preference-topics-update',
  `update preference_topics
      set name = $4, default_status = $5, allowed_preferences = $6, description = $7, include_unsubscribe_header = $8,
          routing_options = $9, topic_data = $10, bytes = $11, updated_at = now()
    where workspace_id = $1 and section_id = $2 and topic_id = $3 returning ${TOPIC_COLUMNS}`,
);
const REMOVE = statement(
  'preference-topics-remove',
  'delete from preference_topics where workspace_id = $1 and section_id = $2 and topic_id = $3',
);

@Handles(preferenceTopics)
export class PreferenceTopicsHandlers {
  constructor(
    private readonly db: Database,
    private readonly calls: CallJournal,
  ) {}

  async create(context: CallContext, { section_id, ...fields }: CreateTopic): Promise<PreferenceTopic> {
    const { workspaceId } = context;
    const values = valuesOf(fields);
    return this.calls.once(context, async (tx) => {
      await lockSections(tx, workspaceId);
      await assertSection(tx, workspaceId, section_id);
      const [row] = await tx.query<TopicRow>(INSERT, [workspaceId, section_id, newId('tpc'), ...values]);
      await assertSectionsFit(tx, workspaceId);
      return toTopic(row!);
    });
  }

  async list({ workspaceId }: CallContext, { section_id, ...rest }: TopicsOfSection): Promise<PreferenceTopics> {
    rest satisfies Record<string, never>;
    const rows = await this.db.query<TopicRow>(SELECT_TOPICS, [workspaceId, section_id]);
    if (rows.length === 0) await assertSection(this.db, workspaceId, section_id);
    return { results: rows.map(toTopic) };
  }

  async retrieve({ workspaceId }: CallContext, { section_id, topic_id, ...rest }: NamedTopic): Promise<PreferenceTopic> {
    rest satisfies Record<string, never>;
    const [row] = await this.db.query<TopicRow>(RETRIEVE, [workspaceId, section_id, topic_id]);
    if (!row) throw noTopic(section_id, topic_id);
    return toTopic(row);
  }

  async replace(context: CallContext, { section_id, topic_id, ...fields }: ReplaceTopic): Promise<PreferenceTopic> {
    const { workspaceId } = context;
    const values = valuesOf(fields);
    return this.calls.once(context, async (tx) => {
      await lockSections(tx, workspaceId);
      const [row] = await tx.query<TopicRow>(UPDATE, [workspaceId, section_id, topic_id, ...values]);
      if (!row) throw noTopic(section_id, topic_id);
      await assertSectionsFit(tx, workspaceId);
      return toTopic(row);
    });
  }

  /**
   * Choices for the topic and tenant defaults stay stored and no longer count: ids are never reused, and one call could
   * not delete a million choices.
   */
  async remove(context: CallContext, { section_id, topic_id, ...rest }: NamedTopic): Promise<void> {
    rest satisfies Record<string, never>;
    await this.calls.once(context, async (tx) => {
      await lockSections(tx, context.workspaceId);
      if ((await tx.execute(REMOVE, [context.workspaceId, section_id, topic_id])) === 0) throw noTopic(section_id, topic_id);
    });
  }
}

/** The columns from `name` to `bytes`. */
function valuesOf(fields: TopicFields): unknown[] {
  const { name, default_status, description, include_unsubscribe_header, topic_data, digest, ...lists } = fields;
  const { allowed_preferences, routing_options, ...rest } = lists;
  rest satisfies Record<string, never>;
  if (digest) throw new ServiceError('not_served', 'Digests are not served: leave out digest', { shouldRetry: false });
  const data = storableObject('topic_data', topic_data ?? {}, TOPIC_DATA_BYTES_MAX);
  return [
    name,
    default_status,
    [...new Set(allowed_preferences)],
    description ?? null,
    include_unsubscribe_header ?? false,
    [...new Set(routing_options)],
    data,
    bytesOf(fields),
  ];
}

async function assertSection(from: Queryable, workspaceId: string, sectionId: string): Promise<void> {
  const [section] = await from.query(SELECT_SECTION, [workspaceId, sectionId]);
  if (!section) throw new ServiceError('not_found', `Section ${sectionId} does not exist`);
}

function noTopic(sectionId: string, topicId: string): ServiceError {
  return new ServiceError('not_found', `Topic ${topicId} does not exist in section ${sectionId}`);
}
