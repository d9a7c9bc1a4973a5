import { notFound } from '@tidings/contracts/core/refusals';
import { Nullable, TextKey, WorkspaceRow } from '@tidings/persistence/rows';
import { Column, DeleteDateColumn, Entity, type EntityManager } from 'typeorm';
import type { NotificationV1, VersionNode } from '@tidings/contracts/content/notifications';
import { type MessageRouting, NO_ROUTING } from '@tidings/contracts/content/routing';
import type { Template, TemplateSummary } from '@tidings/contracts/content/template-fields';
import { AUTHOR, authorship } from './author';
import { named } from './template-names';
import { elementalOf, type StoredVersion, TemplateVersionEntity, type VersionFields } from './template-version.entity';
import { DRAFT, versionName } from './version-name';

/** Prefix by which a send names a template of the tenant alone; no alias begins with it. */
export const TENANT_PREFIX = 'tenant/';

/** A template without its versions. Queries skip archived templates. */
@Entity('notification_templates')
export class TemplateEntity extends WorkspaceRow {
  @TextKey({ name: 'template_id' })
  id: string;

  @Column({ type: 'text', collation: 'C', nullable: true })
  alias: string | null;

  @Column('integer')
  revision: number;

  @Column('integer')
  latestVersion: number;

  @Nullable('integer')
  publishedVersion: number | null;

  /** The published version that the draft equals; `null` once the draft was changed. */
  @Nullable('integer')
  draftVersion: number | null;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt: Date;

  /** `null` for a template that was never changed. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  updatedAt: Date | null;

  @DeleteDateColumn({ type: 'timestamptz', precision: 3, nullable: true })
  archivedAt: Date | null;
}

/** A template with one of its versions. */
type ShownTemplate = TemplateEntity & { shown: StoredVersion };

/**
 * The template with this id or alias, with a version, given as by `parseVersion`; in one statement, so that both are of one state.
 * @param sent the version as the client wrote it, for errors.
 * @throws ServiceError `not_found` when there is no such template, or no such version.
 */
export async function readTemplate(
  manager: EntityManager,
  workspaceId: string,
  name: string,
  version: number,
  sent?: string | null,
): Promise<ShownTemplate> {
  const row = (await manager
    .createQueryBuilder(TemplateEntity, 'template')
    .leftJoinAndMapOne(
      'template.shown',
      TemplateVersionEntity,
      'shown',
      `shown.workspaceId = template.workspaceId and shown.templateId = template.id and shown.version =
       case :version::int when -1 then template.publishedVersion when -2 then coalesce(template.publishedVersion, 0) else :version::int end`,
      { version },
    )
    .where(named(workspaceId, name))
    .getOne()) as (TemplateEntity & { shown: StoredVersion | null }) | null;
  if (!row) throw noTemplate(name);
  const { shown } = row;
  if (shown) return { ...row, shown };
  throw notFound(version > 0 ? `Template ${name} has no version ${sent ?? versionName(version)}` : `Template ${name} is not published`);
}

/** The `not_found` error of a template; it is returned, not thrown. */
export function noTemplate(id: string) {
  return notFound(`Template ${id} does not exist`);
}

/** The etag of a template's state; every change makes a new one. */
export function etagOf({ revision }: Pick<TemplateEntity, 'revision'>) {
  return `r${revision}`;
}

export function toTemplate(row: ShownTemplate): Template {
  const { id, alias, shown } = row;
  const { name, tags, brandId, topicId, strategyId, email, throwOnMissingVariable, version } = shown;
  return {
    id,
    name,
    tags,
    brand: brandId === null ? null : { id: brandId },
    subscription: topicId === null ? null : { topic_id: topicId },
    routing: strategyId === null ? null : { strategy_id: strategyId },
    content: elementalOf(shown),
    alias: alias ?? undefined,
    email: email ?? undefined,
    throw_on_missing_variable: throwOnMissingVariable || undefined,
    state: version === DRAFT ? 'DRAFT' : 'PUBLISHED',
    ...authorship(row),
    etag: etagOf(row),
  };
}

/** The columns of a template and of one of its versions that `toSummary` needs. */
export type SummaryRow = Pick<TemplateEntity, 'id' | 'publishedVersion' | 'createdAt' | 'updatedAt'> &
  Pick<VersionFields, 'name' | 'tags' | 'topicId'>;

export function toSummary(row: SummaryRow): TemplateSummary {
  const { id, name, tags, topicId, publishedVersion } = row;
  return {
    id,
    name,
    state: publishedVersion === null ? 'DRAFT' : 'PUBLISHED',
    tags,
    ...authorship(row),
    ...(topicId !== null && { subscription_topic_id: topicId, topic_id: topicId }),
  };
}

/** The columns that `toNotificationV1` needs. */
export type ListedRow = SummaryRow & { routing: MessageRouting | null; eventIds: string[] };

/** @param withNotes whether the answer has `note`, which is always empty. */
export function toNotificationV1(row: ListedRow, withNotes: boolean): NotificationV1 {
  const { id, name, topicId, tags, routing, eventIds, createdAt, updatedAt } = row;
  return {
    id,
    title: name,
    topic_id: topicId ?? '',
    event_ids: eventIds,
    tags: { data: tags.map((tag) => ({ id: tag, name: tag })) },
    routing: routing ?? NO_ROUTING,
    created_at: createdAt.getTime(),
    updated_at: (updatedAt ?? createdAt).getTime(),
    note: withNotes ? '' : undefined,
  };
}

/** The name of a version begins with `published:` where it is the published one; only the draft has `has_changes`. */
export function toVersionNode(
  { version, createdAt }: Pick<TemplateVersionEntity, 'version' | 'createdAt'>,
  { publishedVersion, draftVersion }: TemplateEntity,
): VersionNode {
  const name = versionName(version);
  return {
    version: version === publishedVersion ? `published:${name}` : name,
    created: createdAt.getTime(),
    creator: AUTHOR,
    ...(version === DRAFT && { has_changes: draftVersion === null || draftVersion !== publishedVersion }),
  };
}
