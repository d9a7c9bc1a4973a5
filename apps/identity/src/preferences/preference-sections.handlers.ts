import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import {
  type NamedSection,
  type NoFields,
  type PreferenceSection,
  type PreferenceSections,
  preferenceSections,
  type PublishedPreferences,
  type PublishPreferences,
  type ReplaceSection,
  type SectionFields,
} from '@tidings/contracts/identity/preference-sections';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database, type Queryable, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { newId } from '@tidings/persistence/new-id';
import { assertSectionsFit, bytesOf, lockSections } from './section-bounds';
import { SECTION_COLUMNS, type SectionRow, SELECT_SECTION, SELECT_TOPICS, TOPIC_COLUMNS, type TopicRow, toSection } from './section.rows';

const INSERT = statement(
  'preference-sections-insert',
  `insert into preference_sections (workspace_id, section_id, name, description, has_custom_routing, routing_options, bytes)
   values ($1, $2, $3, $4, $5, $6, $7) returning ${SECTION_COLUMNS}`,
);
const UPDATE = statement(
  'preference-sections-update',
  `update preference_sections set name = $3, description = $4, has_custom_routing = $5, routing_options = $6, bytes = $7, updated_at = now()
    where workspace_id = $1 and section_id = $2 returning ${SECTION_COLUMNS}`,
);
const REMOVE = statement('preference-sections-remove', 'delete from preference_sections where workspace_id = $1 and section_id = $2');
const ANY_TOPIC = statement(
  'preference-sections-any-topic',
  'select topic_id from preference_topics where workspace_id = $1 and section_id = $2 limit 1',
);
/** Both are bounded: creation refuses more than fit into one answer. */
const SECTIONS = statement(
  'preference-sections-list',
  `select ${SECTION_COLUMNS} from preference_sections where workspace_id = $1 order by created_at, section_id`,
);
const TOPICS = statement(
  'preference-sections-topics',
  `select ${TOPIC_COLUMNS} from preference_topics where workspace_id = $1 order by created_at, topic_id`,
);
/** A version is the time of publication in ms, or the version before plus one where that is higher. */
const PUBLISH = statement(
  'preference-pages-publish',
  `insert into preference_pages as page (workspace_id, page_id, published_version, published_at, brand_id, heading, description)
   values ($1, $2, floor(extract(epoch from now()) * 1000), now(), $3, $4, $5)
   on conflict (workspace_id) do update set
     published_version = greatest(excluded.published_version, page.published_version + 1),
     published_at = excluded.published_at,
     brand_id = case when $6 then excluded.brand_id else page.brand_id end,
     heading = case when $7 then excluded.heading else page.heading end,
     description = case when $8 then excluded.description else page.description end
   returning page_id, published_at, published_version::float8 as published_version`,
);

@Handles(preferenceSections)
export class PreferenceSectionsHandlers {
  constructor(
    private readonly db: Database,
    private readonly calls: CallJournal,
  ) {}

  async create(context: CallContext, fields: SectionFields): Promise<PreferenceSection> {
    const { workspaceId } = context;
    const values = valuesOf(fields);
    return this.calls.once(context, async (tx) => {
      await lockSections(tx, workspaceId);
      const [row] = await tx.query<SectionRow>(INSERT, [workspaceId, newId('sct'), ...values]);
      await assertSectionsFit(tx, workspaceId);
      return toSection(row!, []);
    });
  }

  async list({ workspaceId }: CallContext, _request: NoFields): Promise<PreferenceSections> {
    const [sections, topics] = await Promise.all([
      this.db.query<SectionRow>(SECTIONS, [workspaceId]),
      this.db.query<TopicRow>(TOPICS, [workspaceId]),
    ]);
    const topicsOf = new Map(sections.map(({ section_id }): [string, TopicRow[]] => [section_id, []]));
    for (const topic of topics) topicsOf.get(topic.section_id)?.push(topic);
    return { results: sections.map((section) => toSection(section, topicsOf.get(section.section_id)!)) };
  }

  async retrieve({ workspaceId }: CallContext, { section_id, ...rest }: NamedSection): Promise<PreferenceSection> {
    rest satisfies Record<string, never>;
    const [row] = await this.db.query<SectionRow>(SELECT_SECTION, [workspaceId, section_id]);
    if (!row) throw noSection(section_id);
    return this.answer(this.db, workspaceId, row);
  }

  async replace(context: CallContext, { section_id, ...fields }: ReplaceSection): Promise<PreferenceSection> {
    const { workspaceId } = context;
    const values = valuesOf(fields);
    return this.calls.once(context, async (tx) => {
      await lockSections(tx, workspaceId);
      const [row] = await tx.query<SectionRow>(UPDATE, [workspaceId, section_id, ...values]);
      if (!row) throw noSection(section_id);
      await assertSectionsFit(tx, workspaceId);
      return this.answer(tx, workspaceId, row);
    });
  }

  async remove(context: CallContext, { section_id, ...rest }: NamedSection): Promise<void> {
    rest satisfies Record<string, never>;
    const { workspaceId } = context;
    await this.calls.once(context, async (tx) => {
      await lockSections(tx, workspaceId);
      const [topic] = await tx.query<{ topic_id: string }>(ANY_TOPIC, [workspaceId, section_id]);
      if (topic) {
        throw new ServiceError('conflict', `Section ${section_id} still has topics, ${topic.topic_id} among them: delete them first`, {
          shouldRetry: false,
        });
      }
      if ((await tx.execute(REMOVE, [workspaceId, section_id])) === 0) throw noSection(section_id);
    });
  }

  async publish(context: CallContext, request: PublishPreferences): Promise<PublishedPreferences> {
    const { brand_id, heading, description, ...rest } = request;
    rest satisfies Record<string, never>;
    const texts = [brand_id, heading, description];
    return this.calls.once(context, async (tx) => {
      const [page] = await tx.query<Omit<PublishedPreferences, 'published_at'> & { published_at: Date }>(PUBLISH, [
        context.workspaceId,
        newId('pge'),
        ...texts.map((text) => text ?? null),
        ...texts.map((text) => text !== undefined),
      ]);
      return { ...page!, published_at: page!.published_at.toISOString() };
    });
  }

  private async answer(from: Queryable, workspaceId: string, row: SectionRow): Promise<PreferenceSection> {
    return toSection(row, await from.query<TopicRow>(SELECT_TOPICS, [workspaceId, row.section_id]));
  }
}

/** The columns from `name` to `bytes`. */
function valuesOf(fields: SectionFields): unknown[] {
  const { name, description, has_custom_routing, routing_options, ...rest } = fields;
  rest satisfies Record<string, never>;
  return [name, description ?? null, has_custom_routing ?? false, [...new Set(routing_options)], bytesOf(fields)];
}

function noSection(sectionId: string): ServiceError {
  return new ServiceError('not_found', `Section ${sectionId} does not exist`);
}
