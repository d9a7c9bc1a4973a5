import { InjectRepository } from '@nestjs/typeorm';
import { And, type EntityManager, LessThanOrEqual, Not, type QueryDeepPartialEntity, Repository } from 'typeorm';
import { assertElemental } from '@tidings/contracts/content/assert-elemental';
import type { ContentChanged } from '@tidings/contracts/content/events';
import { assertChannelSettings, assertProviderSettings, routingOfTemplate } from '@tidings/contracts/content/routing';
import {
  type ListTenantTemplates,
  type PublishTenantTemplate,
  type PutTenantTemplate,
  TENANT_VERSIONS_RETAINED_MAX,
  type TenantTemplateInput,
  type TenantTemplateKey,
  tenantTemplates,
  type TenantTemplateVersion,
} from '@tidings/contracts/content/tenant-templates';
import type { CallContext } from '@tidings/contracts/core/context';
import { statement, transactionOf } from '@tidings/persistence/database';
import { keysetPage } from '@tidings/persistence/keyset-page';
import { Outbox } from '@tidings/persistence/outbox';
import { toListPage } from '@tidings/persistence/page';
import { countForQuota } from '@tidings/persistence/quotas';
import { assertConditions } from '@tidings/rendering/checks/condition-check';
import { draftWarnings, publishedWarnings } from '@tidings/rendering/checks/element-problems';
import { Handles } from '@tidings/rpc/handles';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { jsonBytes } from '../json-bytes';
import { publishChange } from '../publish-change';
import { RenderChecks, warned } from '../rendering/render-checks';
import { STORED_TEMPLATES } from '../stored-templates';
import { SHOWN } from '../templates/version-name';
import {
  findTenantTemplate,
  noTenantTemplate,
  noTenantVersion,
  OF_TEMPLATE,
  parseTenantVersion,
  type ShownTenantTemplate,
  TenantTemplateEntity,
  type TenantTemplateNames,
  TenantTemplateVersionEntity,
  tenantVersionName,
  toTenantTemplate,
  toTenantTemplateSummary,
} from './tenant-template.entity';

// SQL because it is an upsert that counts, and returns the count.
/** A further version of a template, or the first; locks the row. */
const COUNT = statement(
  'tenant-templates-count',
  `insert into tenant_templates as template (workspace_id, tenant_id, template_id, latest_version) values ($1, $2, $3, 1)
   on conflict (workspace_id, tenant_id, template_id) do update set latest_version = template.latest_version + 1
   returning latest_version as "latestVersion", published_version as "publishedVersion", published_at as "publishedAt"`,
);
type Counted = Pick<TenantTemplateEntity, 'latestVersion' | 'publishedVersion' | 'publishedAt'>;

/** The path of the content in a request. */
const CONTENT = 'template.content';

/** Does not check that the tenant exists: its templates take effect once it does. */
@Handles(tenantTemplates)
export class TenantTemplatesHandlers {
  constructor(
    @InjectRepository(TenantTemplateEntity) private readonly rows: Repository<TenantTemplateEntity>,
    private readonly outbox: Outbox,
    private readonly checks: RenderChecks,
    private readonly secrets: OverrideSecrets,
  ) {}

  async list({ workspaceId }: CallContext, request: ListTenantTemplates) {
    const { tenant_id: tenantId, limit, cursor: given, starting_after } = request;
    const cursor = given ?? starting_after;
    const shown = `${OF_TEMPLATE} and shown.version = coalesce(template.publishedVersion, template.latestVersion)`;
    const query = this.rows
      .createQueryBuilder('template')
      .innerJoinAndMapOne('template.shown', TenantTemplateVersionEntity, 'shown', shown)
      .select(['template', 'shown.version', 'shown.createdAt', 'shown.routing'])
      .where('template.workspaceId = :workspaceId and template.tenantId = :tenantId', { workspaceId, tenantId });
    const page = await keysetPage(query, {
      tag: `tenant-templates ${workspaceId} ${tenantId}`,
      limit,
      cursor,
      orderedBy: ['templateId'],
      toItem: (row) => toTenantTemplateSummary(row as ShownTenantTemplate),
    });
    return toListPage(page, { path: `/tenants/${encodeURIComponent(tenantId)}/templates`, query: { limit }, cursor });
  }

  async retrieve(context: CallContext, request: TenantTemplateKey) {
    return this.shown(context, request, SHOWN);
  }

  async retrieveVersion(context: CallContext, request: TenantTemplateVersion) {
    return this.shown(context, request, parseTenantVersion(request.version), request.version);
  }

  async prepareReplace(context: CallContext, { template, published, ...names }: PutTenantTemplate): Promise<StoredFields> {
    const order = { version: 'DESC' } as const;
    const latest = await this.rows.manager.findOne(TenantTemplateVersionEntity, { where: namesOf(context, names), order });
    const fields = this.storedFields(context.workspaceId, template, latest);
    if (published) await this.checks.assertContent(context, template.content, CONTENT);
    return fields;
  }

  async replace(context: CallContext, request: PutTenantTemplate, tx: EntityManager, fields: StoredFields) {
    const { tenant_id, template_id, template, published, ...rest } = request;
    rest satisfies Record<string, never>;
    const key = namesOf(context, { tenant_id, template_id });
    const sql = transactionOf(tx);
    const [counted] = await sql.query<Counted>(COUNT, [context.workspaceId, tenant_id, template_id]);
    const { latestVersion: version, publishedVersion, publishedAt } = counted!;
    if (version === 1) await countForQuota(sql, context, STORED_TEMPLATES, 1);
    await tx.insert(TenantTemplateVersionEntity, { ...key, version, ...fields });
    const at = published ? await this.publishNow(tx, key, version) : publishedAt;
    const retained = published ? version : publishedVersion;
    const old = LessThanOrEqual(version - TENANT_VERSIONS_RETAINED_MAX);
    await tx.delete(TenantTemplateVersionEntity, { ...key, version: retained === null ? old : And(old, Not(retained)) });
    const warnings = published ? publishedWarnings(template.content, CONTENT) : draftWarnings(template.content, CONTENT);
    return { id: template_id, version: tenantVersionName(version), published_at: at?.toISOString(), ...warned(warnings) };
  }

  async publish(context: CallContext, request: PublishTenantTemplate) {
    const { tenant_id, template_id, version: text, ...rest } = request;
    rest satisfies Record<string, never>;
    const requested = parseTenantVersion(text ?? 'latest');
    const key = namesOf(context, { tenant_id, template_id });
    return this.checks.whilePublishing(context, 'content', async (tx, check, warnings) => {
      await tx.findOne(TenantTemplateEntity, { where: key, lock: { mode: 'pessimistic_write' } });
      const { shown, publishedVersion, publishedAt } = await this.find(tx, key, requested, text);
      const { version, content } = shown;
      const isPublished = version === publishedVersion;
      if (!isPublished) check(content, { isOfBlocks: false });
      const at = isPublished ? publishedAt! : await this.publishNow(tx, key, version);
      return { id: template_id, version: tenantVersionName(version), published_at: at.toISOString(), ...warned(warnings) };
    });
  }

  async remove(context: CallContext, request: TenantTemplateKey, tx: EntityManager) {
    const key = namesOf(context, request);
    const { affected } = await tx.delete(TenantTemplateEntity, key);
    if (!affected) throw noTenantTemplate(key);
    await tx.delete(TenantTemplateVersionEntity, key);
    await publishChange(this.outbox, tx, changeOf(key));
  }

  /** With the secrets of its overrides opened. */
  private async shown(context: CallContext, request: TenantTemplateKey, version: number, sent?: string) {
    const { data, ...template } = toTenantTemplate(await this.find(this.rows.manager, namesOf(context, request), version, sent));
    const of = `template ${request.template_id} of tenant ${request.tenant_id}`;
    return { ...template, data: this.secrets.openSettingsForReader(context.workspaceId, data, of) };
  }

  private async find(manager: EntityManager, key: TenantTemplateNames, version: number, sent?: string | null) {
    const row = await findTenantTemplate(manager, key, version);
    if (!row) throw noTenantTemplate(key);
    if (!row.shown) throw noTenantVersion(key, version, sent);
    return row as ShownTenantTemplate;
  }

  private async publishNow(tx: EntityManager, key: TenantTemplateNames, version: number) {
    await tx.update(TenantTemplateEntity, key, { publishedVersion: version, publishedAt: () => 'now()' });
    await publishChange(this.outbox, tx, changeOf(key));
    return (await tx.findOneByOrFail(TenantTemplateEntity, key)).publishedAt!;
  }

  /** @param latest the version before. */
  private storedFields(workspaceId: string, template: TenantTemplateInput, latest: TenantTemplateVersionEntity | null) {
    const { content, routing: given, channels, providers, ...rest } = template;
    rest satisfies Record<string, never>;
    const routing = routingOfTemplate(given, 'template.routing');
    assertElemental(content, CONTENT);
    if (channels) assertChannelSettings(channels, 'template.channels');
    if (providers) assertProviderSettings(providers, 'template.providers');
    assertConditions({ routing, channels, providers }, 'template.');
    const delivery = { channels: channels ?? null, providers: providers ?? null };
    const settings = this.secrets.acceptSettings(workspaceId, delivery, { prefix: 'template.', stored: latest });
    const objects = { content, routing, ...settings };
    return { ...objects, bytes: jsonBytes(Object.values(objects)) } as StoredFields;
  }
}

function namesOf({ workspaceId }: CallContext, { tenant_id, template_id }: TenantTemplateKey) {
  return { workspaceId, tenantId: tenant_id, templateId: template_id };
}

const changeOf = ({ workspaceId, tenantId, templateId }: TenantTemplateNames): ContentChanged => ({
  workspaceId,
  kind: 'tenant_template',
  id: `${tenantId}/${templateId}`,
});

type StoredFields = QueryDeepPartialEntity<TenantTemplateVersionEntity>;
