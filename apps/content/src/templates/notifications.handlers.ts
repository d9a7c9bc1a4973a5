import { InjectRepository } from '@nestjs/typeorm';
import { invalid, notFound } from '@tidings/contracts/core/refusals';
import { type EntityManager, Repository } from 'typeorm';
import { assertElemental } from '@tidings/contracts/content/assert-elemental';
import {
  type CreateTemplate,
  type ListTemplates,
  type ListVersions,
  notifications,
  type PublishTemplate,
  type ReplaceTemplate,
  type TemplateVersion,
  VERSIONS_LIMIT_MAX,
} from '@tidings/contracts/content/notifications';
import type { NamedTemplate, Template, TemplatePayload } from '@tidings/contracts/content/template-fields';
import type { CallContext } from '@tidings/contracts/core/context';
import { Outbox } from '@tidings/persistence/outbox';
import { Handles } from '@tidings/rpc/handles';
import { newId } from '@tidings/persistence/new-id';
import { RenderChecks } from '../rendering/render-checks';
import { TemplateLists } from './template-lists';
import { OpenTemplate } from './template-store';
import { elementsOf, type VersionFields } from './template-version.entity';
import { readTemplate, TemplateEntity, TENANT_PREFIX, toTemplate } from './template.entity';
import { withIds } from './elements';
import { assertEmail } from './template-email';
import { DRAFT, parseVersion, SHOWN } from './version-name';

/** The path of the content in a request. */
const CONTENT = 'notification.content';

@Handles(notifications)
export class NotificationsHandlers {
  constructor(
    @InjectRepository(TemplateEntity) private readonly rows: Repository<TemplateEntity>,
    private readonly outbox: Outbox,
    private readonly lists: TemplateLists,
    private readonly checks: RenderChecks,
  ) {}

  list({ workspaceId }: CallContext, request: ListTemplates) {
    return this.lists.page(workspaceId, request);
  }

  async create(context: CallContext, { notification, state, ...rest }: CreateTemplate) {
    rest satisfies Record<string, never>;
    return this.put(context, notification, state, (tx) => OpenTemplate.create(tx, this.outbox, context.workspaceId, newId('nt')));
  }

  async retrieve({ workspaceId }: CallContext, { id, version }: TemplateVersion) {
    return toTemplate(await readTemplate(this.rows.manager, workspaceId, id, parseVersion(version, SHOWN)));
  }

  async replace(context: CallContext, { id, notification, state, if_match, ...rest }: ReplaceTemplate) {
    rest satisfies Record<string, never>;
    return this.put(context, notification, state, (tx) => OpenTemplate.lock(tx, this.outbox, context.workspaceId, id, if_match));
  }

  async archive({ workspaceId }: CallContext, { id }: NamedTemplate, tx: EntityManager) {
    const template = await OpenTemplate.lock(tx, this.outbox, workspaceId, id);
    await template.archive();
  }

  async versions({ workspaceId }: CallContext, { id, cursor, limit }: ListVersions) {
    return this.lists.versions(workspaceId, id, { cursor, limit: limit ?? VERSIONS_LIMIT_MAX });
  }

  async publish(context: CallContext, { id, version, if_match, ...rest }: PublishTemplate) {
    rest satisfies Record<string, never>;
    const requested = parseVersion(version, DRAFT);
    await this.checks.whilePublishing(context, 'content', async (tx, assertRenders) => {
      const template = await OpenTemplate.lock(tx, this.outbox, context.workspaceId, id, if_match);
      if (requested > DRAFT) await template.publishVersion(requested);
      else if (requested === DRAFT) await template.publishDraft(assertRenders);
      else if (template.row.publishedVersion === null) throw notFound(`Template ${id} is not published`);
      await template.save();
    });
  }

  /** Puts the draft of a template, and publishes it where the request says so. */
  private async put(
    context: CallContext,
    notification: TemplatePayload,
    state: CreateTemplate['state'],
    open: (tx: EntityManager) => Promise<OpenTemplate>,
  ): Promise<Template> {
    const fields = storableFields(notification);
    return this.checks.whilePublishing(context, CONTENT, async (tx, assertRenders) => {
      const template = await open(tx);
      const { id, revision } = template.row;
      const isNew = revision === 0;
      const { content, ids } = withIds(fields.content, isNew ? undefined : elementsOf(await template.read(DRAFT)));
      if (notification.alias !== undefined) await template.setAlias(notification.alias);
      await template.putDraft({ ...fields, content, elementIds: ids });
      if (state === 'PUBLISHED') await template.publishDraft(assertRenders);
      await template.save();
      return toTemplate(await readTemplate(tx, context.workspaceId, id, state === 'PUBLISHED' ? SHOWN : DRAFT));
    });
  }
}

/** The payload as a version to be stored, without the ids of its elements. */
function storableFields(payload: TemplatePayload): Omit<VersionFields, 'content'> & { content: TemplatePayload['content'] } {
  const { name, tags, brand, subscription, routing, content, alias, email, ...rest } = payload;
  rest satisfies Record<string, never>;
  if (email) assertEmail(email, 'notification.email');
  assertElemental(content, CONTENT);
  if (alias?.startsWith(TENANT_PREFIX)) {
    throw invalid(`notification.alias must not begin with ${TENANT_PREFIX}, which names a tenant's template (got ${alias})`);
  }
  return {
    name,
    tags: [...new Set(tags)],
    brandId: brand?.id ?? null,
    topicId: subscription?.topic_id ?? null,
    strategyId: routing?.strategy_id ?? null,
    email: email ?? null,
    content,
    elementIds: null,
  };
}
