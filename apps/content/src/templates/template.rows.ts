import type { ElementalContent } from '@tidings/contracts/content/elemental';
import type { NotificationV1, VersionNode } from '@tidings/contracts/content/notifications';
import { type MessageRouting, NO_ROUTING } from '@tidings/contracts/content/routing';
import type { Template, TemplateEmail, TemplateSummary } from '@tidings/contracts/content/template-fields';
import { ServiceError } from '@tidings/contracts/core/errors';
import { type Queryable, statement } from '@tidings/persistence/database';
import { AUTHOR } from './author';
import type { BlockContent } from './blocks';
import type { Elements } from './elements';
import { elementalOfBlocks } from './elemental-of-blocks';
import { DRAFT, versionName } from './version-name';

/** A template without its versions. */
export interface TemplateRow {
  template_id: string;
  alias: string | null;
  revision: number;
  latest_version: number;
  published_version: number | null;
  /** The published version that the draft equals; `null` once the draft was changed. */
  draft_version: number | null;
  created_at: Date;
  updated_at: Date | null;
}

/** The fields of a version; `content` is Elemental or blocks. */
export interface VersionFields {
  name: string;
  tags: string[];
  brand_id: string | null;
  topic_id: string | null;
  strategy_id: string | null;
  email: TemplateEmail | null;
  content: ElementalContent | BlockContent;
  /** `null` for blocks. */
  element_ids: string[] | null;
}

type ShownRow = TemplateRow & VersionFields & { version: number | null };

export const TEMPLATE_COLUMNS = 'template_id, alias, revision, latest_version, published_version, draft_version, created_at, updated_at';
export const VERSION_COLUMNS = 'name, tags, brand_id, topic_id, strategy_id, email, content, element_ids';

const SHOWN = statement(
  'templates-retrieve',
  `select template.template_id, alias, revision, latest_version, published_version, draft_version, template.created_at, updated_at,
          version.version, ${VERSION_COLUMNS}
     from notification_templates template
     left join notification_versions version
       on version.workspace_id = template.workspace_id and version.template_id = template.template_id
      and version.version = case $3::int when -1 then published_version when -2 then coalesce(published_version, 0) else $3::int end
    where template.workspace_id = $1 and template.template_id = $2 and archived_at is null`,
);

/**
 * A template with a version, given as by `parseVersion`.
 * @throws ServiceError `not_found` when there is no such template, or no such version.
 */
export async function readTemplate(
  from: Queryable,
  workspaceId: string,
  id: string,
  version: number,
): Promise<ShownRow & { version: number }> {
  const [row] = await from.query<ShownRow>(SHOWN, [workspaceId, id, version]);
  if (!row) throw noTemplate(id);
  if (row.version === null) {
    throw new ServiceError(
      'not_found',
      version > 0 ? `Template ${id} has no version ${versionName(version)}` : `Template ${id} is not published`,
    );
  }
  return { ...row, version: row.version };
}

export function noTemplate(id: string): ServiceError {
  return new ServiceError('not_found', `Template ${id} does not exist`);
}

/** The content's nodes with their ids; undefined for blocks. */
export function elementsOf({ content, element_ids }: VersionFields): Elements | undefined {
  return element_ids === null ? undefined : { content: content as ElementalContent, ids: element_ids };
}

/** The content as Elemental: as it was put, or converted from blocks. */
export function elementalOf({ content, element_ids }: Pick<VersionFields, 'content' | 'element_ids'>): ElementalContent {
  return element_ids === null ? elementalOfBlocks(content as BlockContent) : (content as ElementalContent);
}

/** The etag of a template's state; every change makes a new one. */
export function etagOf({ revision }: Pick<TemplateRow, 'revision'>): string {
  return `r${revision}`;
}

export function toTemplate(row: ShownRow & { version: number }): Template {
  const { template_id, name, tags, brand_id, topic_id, strategy_id, email, alias, version } = row;
  return {
    id: template_id,
    name,
    tags,
    brand: brand_id === null ? null : { id: brand_id },
    subscription: topic_id === null ? null : { topic_id },
    routing: strategy_id === null ? null : { strategy_id },
    content: elementalOf(row),
    ...(alias !== null && { alias }),
    ...(email !== null && { email }),
    state: version === DRAFT ? 'DRAFT' : 'PUBLISHED',
    ...authorship(row),
    etag: etagOf(row),
  };
}

export type SummaryRow = Pick<TemplateRow, 'template_id' | 'published_version' | 'created_at' | 'updated_at'> &
  Pick<VersionFields, 'name' | 'tags' | 'topic_id'>;

export function toSummary(row: SummaryRow): TemplateSummary {
  const { template_id, name, tags, topic_id, published_version } = row;
  return {
    id: template_id,
    name,
    state: published_version === null ? 'DRAFT' : 'PUBLISHED',
    tags,
    ...authorship(row),
    ...(topic_id !== null && { subscription_topic_id: topic_id, topic_id }),
  };
}

export type ListedRow = SummaryRow & { routing: MessageRouting | null };

export function toNotificationV1(row: ListedRow, eventIds: string[], withNotes: boolean): NotificationV1 {
  const { template_id, name, topic_id, tags, routing, created_at, updated_at } = row;
  return {
    id: template_id,
    title: name,
    topic_id: topic_id ?? '',
    event_ids: eventIds,
    tags: { data: tags.map((tag) => ({ id: tag, name: tag })) },
    routing: routing ?? NO_ROUTING,
    created_at: created_at.getTime(),
    updated_at: (updated_at ?? created_at).getTime(),
    ...(withNotes && { note: '' }),
  };
}

export interface VersionRow {
  version: number;
  created_at: Date;
}

export function toVersionNode({ version, created_at }: VersionRow, template: TemplateRow): VersionNode {
  const { published_version, draft_version } = template;
  const name = version === DRAFT ? 'draft' : versionName(version);
  return {
    version: version === published_version ? `published:${name}` : name,
    created: created_at.getTime(),
    creator: AUTHOR,
    ...(version === DRAFT && { has_changes: draft_version === null || draft_version !== published_version }),
  };
}

function authorship({
  created_at,
  updated_at,
}: Pick<TemplateRow, 'created_at' | 'updated_at'>): Pick<TemplateSummary, 'created' | 'creator' | 'updated' | 'updater'> {
  return { created: created_at.getTime(), creator: AUTHOR, ...(updated_at !== null && { updated: updated_at.getTime(), updater: AUTHOR }) };
}
