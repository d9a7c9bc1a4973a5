import { EVENT_ID_LENGTH_MAX } from '@tidings/contracts/content/event-mappings';
import {
  LOADED_TEMPLATES_BYTES_MAX,
  type LoadedTemplate,
  type LoadedTemplates,
  type LoadTemplates,
  sendingTemplates,
  type TemplateKey,
} from '@tidings/contracts/content/sending-templates';
import { type ChannelSettings, type MessageRouting, type ProviderSettings, routingOver } from '@tidings/contracts/content/routing';
import { TEMPLATE_ID_LENGTH_MAX } from '@tidings/contracts/content/template-fields';
import type { CallContext } from '@tidings/contracts/core/context';
import { TENANT_ID_LENGTH_MAX } from '@tidings/contracts/identity/tenants';
import { Database, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { idOrNone, NO_ID } from '../id-or-none';
import { MappedEvents } from '../templates/mapped-events';
import { elementalOf, type VersionFields } from '../templates/template-version.entity';
import { TENANT_PREFIX } from '../templates/template.entity';
import { versionName } from '../templates/version-name';
import { tenantVersionName } from '../tenant-templates/tenant-template.entity';
import { type ResolvedName, resolveNames } from './resolve-names';
import { findOverrides, type Override, overrideContents, type OverrideContent } from './tenant-overrides';

/** Length of the longest id, alias or event id. */
const NAME_LENGTH_MAX = Math.max(TEMPLATE_ID_LENGTH_MAX, EVENT_ID_LENGTH_MAX);

/** SQL: sends read a batch. Content of published versions only: drafts are never sent. */
const CONTENTS = statement(
  'sending-templates-contents',
  `select version.name, version.tags, version.brand_id as "brandId", version.topic_id as "topicId", version.email,
          version.element_ids as "elementIds", case when version.version > 0 then version.content end as content, strategy.routing, strategy.channels, strategy.providers
     from unnest($1::uuid[], $2::text[], $3::int[]) with ordinality as input (workspace_id, template_id, version, ordinal)
     left join lateral (select * from notification_versions stored
                         where stored.workspace_id = input.workspace_id and stored.template_id = input.template_id collate "C"
                           and stored.version = input.version limit 1) version on true
     left join lateral (select routing, channels, providers from routing_strategies stored
                         where stored.workspace_id = input.workspace_id and stored.strategy_id = version.strategy_id limit 1) strategy on true
    order by input.ordinal`,
);

interface ContentRow extends Omit<VersionFields, 'content' | 'name' | 'strategyId'> {
  /** `null` where the version was removed. */
  name: string | null;
  content: VersionFields['content'] | null;
  routing: MessageRouting | null;
  channels: Record<string, ChannelSettings> | null;
  providers: Record<string, ProviderSettings> | null;
}

/** The template of a name, before any content is read. */
interface Found {
  key: TemplateKey;
  base?: ResolvedName;
  override?: Override;
}

@Handles(sendingTemplates)
export class SendingTemplatesHandlers {
  constructor(
    private readonly db: Database,
    private readonly events: MappedEvents,
  ) {}

  /** At most six statements: templates and sizes of all names, then the contents of as many as fit into one answer. */
  async load(_context: CallContext, { templates: keys }: LoadTemplates): Promise<LoadedTemplates> {
    if (keys.length === 0) return { templates: [] };
    const found = await this.find(keys);
    const first = found.slice(0, endOf(found));
    const [contents, overrides] = await Promise.all([this.contentsOf(first), this.overridesOf(first)]);
    return { templates: first.map((one) => toLoaded(one, contents.get(one), overrides.get(one))) };
  }

  private async find(keys: readonly TemplateKey[]): Promise<Found[]> {
    const found = keys.map((key): Found => ({ key }));
    const named = found.filter(({ key }) => canName(ownName(key), NAME_LENGTH_MAX));
    const bases = await resolveNames(
      this.db,
      this.events,
      named.map(({ key }) => ({ workspaceId: key.workspace_id, name: ownName(key) })),
    );
    named.forEach((one, index) => (one.base = bases[index]));

    const candidates = named.flatMap((one) =>
      overrideNames(one).map((templateId) => ({ one, workspaceId: one.key.workspace_id, tenantId: one.key.tenant_id!, templateId })),
    );
    const overrides = await findOverrides(this.db, candidates);
    candidates.forEach(({ one }, index) => (one.override ??= overrides[index]));
    return found;
  }

  private async contentsOf(found: readonly Found[]): Promise<Map<Found, ContentRow>> {
    const withBase = found.filter(({ base }) => base);
    if (withBase.length === 0) return new Map();
    const rows = await this.db.query<ContentRow>(CONTENTS, [
      withBase.map(({ key }) => key.workspace_id),
      withBase.map(({ base }) => base!.templateId),
      withBase.map(({ base }) => base!.publishedVersion ?? 0),
    ]);
    return new Map(rows.map((row, index) => [withBase[index]!, row]));
  }

  private async overridesOf(found: readonly Found[]): Promise<Map<Found, OverrideContent | undefined>> {
    const withOverride = found.filter(({ override }) => override);
    const contents = await overrideContents(
      this.db,
      withOverride.map(({ override }) => override!),
    );
    return new Map(withOverride.map((one, index) => [one, contents[index]]));
  }
}

/** How many of these fit into one answer: at least one. */
function endOf(found: readonly Found[]): number {
  let bytes = 0;
  const end = found.findIndex(({ base, override }) => (bytes += (base?.bytes ?? 0) + (override?.bytes ?? 0)) > LOADED_TEMPLATES_BYTES_MAX);
  return end === -1 ? found.length : Math.max(end, 1);
}

const ownName = ({ template }: TemplateKey): string =>
  template.startsWith(TENANT_PREFIX) ? template.slice(TENANT_PREFIX.length) : template;

/** Possible names of a tenant's template that replaces this one: the workspace's id first, then the name of the send. */
function overrideNames({ key, base }: Found): string[] {
  if (key.tenant_id === undefined || !canName(key.tenant_id, TENANT_ID_LENGTH_MAX)) return [];
  return [...new Set([...(base ? [base.templateId] : []), ownName(key)])];
}

const canName = (text: string, lengthMax: number): boolean => idOrNone(text, lengthMax) !== NO_ID;

function toLoaded(
  { key, base, override }: Found,
  row: ContentRow | undefined,
  overrideContent: OverrideContent | undefined,
): LoadedTemplate | null {
  const tenants = override && overrideContent ? ofTenant(override, overrideContent) : undefined;
  if (key.template.startsWith(TENANT_PREFIX) && !tenants) return null;
  if (!base || !row || row.name === null) {
    return tenants
      ? {
          notification_id: override!.templateId,
          matched: 'tenant',
          name: override!.templateId,
          tags: [],
          topic_id: null,
          email: null,
          ...tenants,
        }
      : null;
  }
  const { name, tags, brandId, topicId, email, content, elementIds, routing, channels, providers } = row;
  const head = { notification_id: base.templateId, matched: base.matched, name, tags, brand: brandId, topic_id: topicId, email };
  if (tenants) {
    return {
      ...head,
      ...tenants,
      routing: routingOver(overrideContent!.routing, routing),
      channels: overrideContent!.channels ?? channels ?? {},
      providers: overrideContent!.providers ?? providers ?? {},
    };
  }
  return {
    ...head,
    published: content !== null,
    version: content === null ? null : versionName(base.publishedVersion!),
    content: content === null ? null : elementalOf({ content, elementIds }),
    tenant_id: null,
    routing,
    channels: channels ?? {},
    providers: providers ?? {},
  };
}

/** The fields of a tenant's template; the caller takes absent ones from the strategy of the workspace's template. */
function ofTenant(
  { tenantId, version }: Override,
  { content, routing, channels, providers }: OverrideContent,
): Pick<LoadedTemplate, 'published' | 'version' | 'content' | 'tenant_id' | 'routing' | 'channels' | 'providers'> {
  return {
    published: true,
    version: tenantVersionName(version),
    content,
    tenant_id: tenantId,
    routing,
    channels: channels ?? {},
    providers: providers ?? {},
  };
}
