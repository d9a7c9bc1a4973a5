import { InjectRepository } from '@nestjs/typeorm';
import { conflict, notFound } from '@tidings/contracts/core/refusals';
import { type EntityManager, Repository } from 'typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import {
  type LastPublication,
  type NamedSection,
  preferenceSections,
  type PublishedPreferences,
  type PublishPreferences,
  REMOVED_SHOWN_MAX,
  type RemovedPreference,
  type ReplaceSection,
  type SectionFields,
} from '@tidings/contracts/identity/preference-sections';
import { Database, statement, transactionOf } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { newId } from '@tidings/persistence/new-id';
import { PreferenceSectionEntity, toSection } from './preference-section.entity';
import { OLDEST_FIRST, PreferenceTopicEntity } from './preference-topic.entity';
import { assertSectionsFit, bytesOf, lockSections } from './section-bounds';

// SQL because the database computes the version from the stored one.
/** The version is the time of publication in ms, or the version before plus one where that is higher. */
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
   returning page_id, to_char(published_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as published_at,
             published_version::float8 as published_version`,
);

// SQL because the table, of one row for each workspace, has no entity.
const PUBLICATION = statement(
  'preference-pages-publication',
  `select page_id, to_char(published_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as published_at,
          published_version::float8 as published_version, brand_id, heading, description
     from preference_pages where workspace_id = $1`,
);

// SQL because it reads the index of these events alone, by the time of the publication where it is stored.
/** Sections and topics have no row after their deletion, but an audit event. */
const REMOVED = statement(
  'preference-pages-removed',
  `select split_part(split_part(type, ':', 1), '-', 2) as kind, target_id as id,
          to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as removed
     from audit_events
    where workspace_id = $1 and type in ('preference-section:deleted', 'preference-topic:deleted')
      and at > (select published_at from preference_pages where workspace_id = $1)
    order by at desc limit ${REMOVED_SHOWN_MAX}`,
);

@Handles(preferenceSections)
export class PreferenceSectionsHandlers {
  constructor(
    @InjectRepository(PreferenceSectionEntity) private readonly sections: Repository<PreferenceSectionEntity>,
    @InjectRepository(PreferenceTopicEntity) private readonly topics: Repository<PreferenceTopicEntity>,
    private readonly database: Database,
  ) {}

  async create({ workspaceId }: CallContext, fields: SectionFields, tx: EntityManager) {
    const row = tx.create(PreferenceSectionEntity, { workspaceId, id: newId('sct'), ...valuesOf(fields) });
    await lockSections(tx, workspaceId);
    await tx.insert(PreferenceSectionEntity, row);
    await assertSectionsFit(tx, workspaceId);
    return toSection(row, []);
  }

  /** Both reads are bounded: creation refuses more than fit into one answer. */
  async list({ workspaceId }: CallContext) {
    const [sections, topics] = await Promise.all([
      this.sections.find({ where: { workspaceId }, order: OLDEST_FIRST }),
      this.topics.find({ where: { workspaceId }, order: OLDEST_FIRST }),
    ]);
    const topicsOf = (id: string) => topics.filter(({ sectionId }) => sectionId === id);
    return { results: sections.map((section) => toSection(section, topicsOf(section.id))) };
  }

  async retrieve({ workspaceId }: CallContext, { section_id }: NamedSection) {
    return readSection(this.sections.manager, workspaceId, section_id);
  }

  async replace({ workspaceId }: CallContext, { section_id: id, ...fields }: ReplaceSection, tx: EntityManager) {
    await lockSections(tx, workspaceId);
    const replaced = { ...valuesOf(fields), updatedAt: () => 'now()' };
    const { affected } = await tx.update(PreferenceSectionEntity, { workspaceId, id }, replaced);
    if (!affected) throw noSection(id);
    await assertSectionsFit(tx, workspaceId);
    return readSection(tx, workspaceId, id);
  }

  async remove({ workspaceId }: CallContext, { section_id }: NamedSection, tx: EntityManager) {
    await lockSections(tx, workspaceId);
    const topic = await tx.findOne(PreferenceTopicEntity, { select: { id: true }, where: { workspaceId, sectionId: section_id } });
    if (topic) {
      throw conflict(`Section ${section_id} still has topics, ${topic.id} among them: delete them first`);
    }
    const { affected } = await tx.delete(PreferenceSectionEntity, { workspaceId, id: section_id });
    if (!affected) throw noSection(section_id);
  }

  async publish({ workspaceId }: CallContext, request: PublishPreferences, tx: EntityManager) {
    const { brand_id, heading, description, ...rest } = request;
    rest satisfies Record<string, never>;
    const texts = [brand_id, heading, description];
    const [page] = await transactionOf(tx).query<PublishedPreferences>(PUBLISH, [
      workspaceId,
      newId('pge'),
      ...texts.map((text) => text ?? null),
      ...texts.map((text) => text !== undefined),
    ]);
    return page!;
  }

  async publication({ workspaceId }: CallContext): Promise<LastPublication> {
    const [[page], removed] = await Promise.all([
      this.database.query<Published>(PUBLICATION, [workspaceId]),
      this.database.query<RemovedPreference>(REMOVED, [workspaceId]),
    ]);
    if (!page) return { publication: null, removed: [] };
    const { brand_id, heading, description, ...published } = page;
    const texts = { brand_id: brand_id ?? undefined, heading: heading ?? undefined, description: description ?? undefined };
    return { publication: { ...published, ...texts }, removed };
  }
}

type Published = PublishedPreferences & Record<'brand_id' | 'heading' | 'description', string | null>;

async function readSection(from: EntityManager, workspaceId: string, id: string) {
  const section = await from.findOneBy(PreferenceSectionEntity, { workspaceId, id });
  if (!section) throw noSection(id);
  return toSection(section, await from.find(PreferenceTopicEntity, { where: { workspaceId, sectionId: id }, order: OLDEST_FIRST }));
}

function valuesOf(fields: SectionFields) {
  const { name, description = null, has_custom_routing, routing_options } = fields;
  const routingOptions = [...new Set(routing_options)];
  return { name, description, hasCustomRouting: has_custom_routing ?? false, routingOptions, bytes: bytesOf(fields) };
}

const noSection = (sectionId: string) => notFound(`Section ${sectionId} does not exist`);
