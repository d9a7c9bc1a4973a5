import { assertElemental } from '@tidings/contracts/content/assert-elemental';
import type { ElementalContent } from '@tidings/contracts/content/elemental';
import { contentChanged } from '@tidings/contracts/content/events';
import { acceptRouting, assertChannelSettings, assertProviderSettings, isNoRouting } from '@tidings/contracts/content/routing';
import {
  type ListTenantTemplates,
  type PublishTenantTemplate,
  type PutTenantTemplate,
  TENANT_VERSIONS_KEPT_MAX,
  type TenantTemplate,
  type TenantTemplateInput,
  type TenantTemplateKey,
  type TenantTemplatePage,
  type TenantTemplatePublished,
  type TenantTemplatePut,
  tenantTemplates,
  type TenantTemplateVersion,
} from '@tidings/contracts/content/tenant-templates';
import type { CallContext } from '@tidings/contracts/core/context';
import { PAGE_LIMIT_DEFAULT } from '@tidings/contracts/core/paging';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database, statement, type Transaction, transactionOf } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { decodeCursor, toListPage, toPage } from '@tidings/persistence/page';
import { assertConditions } from '@tidings/rendering/checks/condition-check';
import { Handles } from '@tidings/rpc/handles';
import { RenderChecks } from '../rendering/render-checks';
import {
  LATEST,
  noTenantTemplate,
  noTenantVersion,
  PAGE,
  parseTenantVersion,
  RETRIEVE,
  SHOWN,
  type TenantTemplateRow,
  type TenantTemplateSummaryRow,
  tenantVersionName,
  toTenantTemplate,
  toTenantTemplateSummary,
} from './tenant-template.rows';

interface VersionState {
  latest_version: number;
  published_version: number | null;
  published_at: Date | null;
}

/** Counts a further version of a template, or the first; locks the row. */
const COUNT = statement(
  'tenant-templates-count',
  `insert into tenant_templates as template (workspace_id, tenant_id, template_id, latest_version) values ($1, $2, $3, 1)
   on conflict (workspace_id, tenant_id, template_id) do update set latest_version = template.latest_version + 1
   returning latest_version, published_version, published_at`,
);
const LOCK = statement(
  'tenant-templates-lock',
  `select latest_version, published_version, published_at from tenant_templates
    where workspace_id = $1 and tenant_id = $2 and template_id = $3 for update`,
);
const INSERT_VERSION = statement(
  'tenant-template-versions-insert',
  `insert into tenant_template_versions (workspace_id, tenant_id, template_id, version, content, routing, channels, providers, bytes)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);
const VERSION = statement(
  'tenant-template-versions-content',
  'select content from tenant_template_versions where workspace_id = $1 and tenant_id = $2 and template_id = $3 and version = $4',
);
const PUBLISH = statement(
  'tenant-templates-publish',
  `update tenant_templates set published_version = $4, published_at = now()
    where workspace_id = $1 and tenant_id = $2 and template_id = $3 returning published_at`,
);
const PRUNE = statement(
  'tenant-template-versions-prune',
  `delete from tenant_template_versions
    where workspace_id = $1 and tenant_id = $2 and template_id = $3 and version <= $4 and version is distinct from $5`,
);
const REMOVE = statement(
  'tenant-templates-remove',
  'delete from tenant_templates where workspace_id = $1 and tenant_id = $2 and template_id = $3',
);
const REMOVE_VERSIONS = statement(
  'tenant-template-versions-remove',
  'delete from tenant_template_versions where workspace_id = $1 and tenant_id = $2 and template_id = $3',
);

/** Does not check that the tenant exists: its templates take effect once it does. */
@Handles(tenantTemplates)
export class TenantTemplatesHandlers {
  constructor(
    private readonly db: Database,
    private readonly calls: CallJournal,
    private readonly outbox: Outbox,
    private readonly checks: RenderChecks,
  ) {}

  async list({ workspaceId }: CallContext, request: ListTenantTemplates): Promise<TenantTemplatePage> {
    const { tenant_id, limit, cursor: given, starting_after, ...rest } = request;
    rest satisfies Record<string, never>;
    const cursor = given ?? starting_after;
    const size = limit ?? PAGE_LIMIT_DEFAULT;
    const tag = `tenant-templates ${workspaceId} ${tenant_id}`;
    const [after] = cursor === undefined ? [''] : decodeCursor(tag, cursor, ['text']);
    const rows = await this.db.query<TenantTemplateSummaryRow>(PAGE, [workspaceId, tenant_id, after, size + 1]);
    const page = toPage(rows, { tag, limit: size, cursorOf: ({ template_id }) => [template_id], toItem: toTenantTemplateSummary });
    return toListPage(page, { path: `/tenants/${encodeURIComponent(tenant_id)}/templates`, query: { limit }, cursor });
  }

  async retrieve({ workspaceId }: CallContext, { tenant_id, template_id, ...rest }: TenantTemplateKey): Promise<TenantTemplate> {
    rest satisfies Record<string, never>;
    return this.read([workspaceId, tenant_id, template_id], SHOWN);
  }

  async retrieveVersion({ workspaceId }: CallContext, request: TenantTemplateVersion): Promise<TenantTemplate> {
    const { tenant_id, template_id, version, ...rest } = request;
    rest satisfies Record<string, never>;
    return this.read([workspaceId, tenant_id, template_id], parseTenantVersion(version));
  }

  async replace(context: CallContext, request: PutTenantTemplate): Promise<TenantTemplatePut> {
    const { tenant_id, template_id, template, published, ...rest } = request;
    rest satisfies Record<string, never>;
    const values = valuesOf(template);
    const key = [context.workspaceId, tenant_id, template_id] as const;
    return this.checks.whilePublishing(context, async (manager, assertRenders) => {
      const tx = transactionOf(manager);
      if (published) assertRenders(template.content, 'template.content');
      const [counted] = await tx.query<VersionState>(COUNT, key);
      const { latest_version: version, published_version, published_at } = counted!;
      await tx.execute(INSERT_VERSION, [...key, version, ...values]);
      const at = published ? await this.publishNow(tx, key, version) : published_at;
      await tx.execute(PRUNE, [...key, version - TENANT_VERSIONS_KEPT_MAX, published ? version : published_version]);
      return { id: template_id, version: tenantVersionName(version), ...(at && { published_at: at.toISOString() }) };
    });
  }

  async publish(context: CallContext, request: PublishTenantTemplate): Promise<TenantTemplatePublished> {
    const { tenant_id, template_id, version: text, ...rest } = request;
    rest satisfies Record<string, never>;
    const requested = text === undefined || text === null ? LATEST : parseTenantVersion(text);
    const key = [context.workspaceId, tenant_id, template_id] as const;
    return this.checks.whilePublishing(context, async (manager, assertRenders) => {
      const tx = transactionOf(manager);
      const [row] = await tx.query<VersionState>(LOCK, key);
      if (!row) throw noTenantTemplate(tenant_id, template_id);
      const version = requested === LATEST ? row.latest_version : requested < 0 ? row.published_version : requested;
      const [found] = version === null ? [] : await tx.query<{ content: ElementalContent }>(VERSION, [...key, version]);
      if (version === null || !found) throw noTenantVersion(tenant_id, template_id, requested);
      if (version !== row.published_version) assertRenders(found.content, 'content');
      const at = version === row.published_version ? row.published_at! : await this.publishNow(tx, key, version);
      return { id: template_id, version: tenantVersionName(version), published_at: at.toISOString() };
    });
  }

  async remove(context: CallContext, { tenant_id, template_id, ...rest }: TenantTemplateKey): Promise<void> {
    rest satisfies Record<string, never>;
    const key = [context.workspaceId, tenant_id, template_id] as const;
    await this.calls.once(context, async (tx) => {
      if ((await tx.execute(REMOVE, key)) === 0) throw noTenantTemplate(tenant_id, template_id);
      await tx.execute(REMOVE_VERSIONS, key);
      await this.publishChange(tx, key);
    });
  }

  private async read(key: readonly [string, string, string], version: number): Promise<TenantTemplate> {
    const [, tenantId, templateId] = key;
    const [row] = await this.db.query<TenantTemplateRow>(RETRIEVE, [...key, version]);
    if (!row) throw noTenantTemplate(tenantId, templateId);
    if (row.version === null) throw noTenantVersion(tenantId, templateId, version);
    return toTenantTemplate(row);
  }

  private async publishNow(tx: Transaction, key: readonly [string, string, string], version: number): Promise<Date> {
    const [row] = await tx.query<{ published_at: Date }>(PUBLISH, [...key, version]);
    await this.publishChange(tx, key);
    return row!.published_at;
  }

  private async publishChange(tx: Transaction, [workspaceId, tenantId, templateId]: readonly [string, string, string]): Promise<void> {
    const payload = { workspaceId, kind: 'tenant_template', id: `${tenantId}/${templateId}` } as const;
    await this.outbox.add(tx, contentChanged, { payload });
  }
}

/** The columns from `content` to `bytes`. */
function valuesOf({ content, routing: given, channels, providers, ...rest }: TenantTemplateInput): unknown[] {
  rest satisfies Record<string, never>;
  const routing = given && !isNoRouting(given) ? acceptRouting(given, 'template.routing', { mayBeEmpty: true }) : null;
  assertElemental(content, 'template.content');
  if (channels) assertChannelSettings(channels, 'template.channels');
  if (providers) assertProviderSettings(providers, 'template.providers');
  assertConditions({ routing, channels, providers }, 'template.');
  const texts = [content, routing, channels, providers].map((value) => (value ? JSON.stringify(value) : null));
  return [...texts, texts.reduce((bytes, text) => bytes + Buffer.byteLength(text ?? ''), 0)];
}
