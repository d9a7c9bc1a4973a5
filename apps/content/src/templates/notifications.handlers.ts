import { InjectRepository } from '@nestjs/typeorm';
import { invalid, notFound } from '@tidings/contracts/core/refusals';
import { And, type EntityManager, type FindOperator, LessThan, MoreThan, Repository } from 'typeorm';
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
import type { NamedTemplate, TemplatePayload } from '@tidings/contracts/content/template-fields';
import type { CallContext } from '@tidings/contracts/core/context';
import { Outbox } from '@tidings/persistence/outbox';
import { Handles } from '@tidings/rpc/handles';
import { newId } from '@tidings/persistence/new-id';
import { draftWarnings } from '@tidings/rendering/checks/element-problems';
import { RenderChecks, warned } from '../rendering/render-checks';
import { OpenTemplate } from './template-store';
import { TemplateVersionEntity } from './template-version.entity';
import {
  type ListedRow,
  noTemplate,
  readTemplate,
  TemplateEntity,
  TENANT_PREFIX,
  toNotificationV1,
  toTemplate,
  toVersionNode,
} from './template.entity';
import { withIds } from './elements';
import { assertEmail } from './template-email';
import { named, templateNamed } from './template-names';
import { DRAFT, parseVersion, SHOWN } from './version-name';
import { PAGE_LIMIT_DEFAULT } from '@tidings/contracts/core/paging';
import { Database, statement } from '@tidings/persistence/database';
import { type CursorValue, decodeCursor, toPage, toResultsPage } from '@tidings/persistence/page';

/** Events of one template in a listing. */
const EVENTS_SHOWN_MAX = 100;

/**
 * Listing rows of some templates (`chosen`: id, published version, times): of the published version, else the draft, with the
 * routing of its strategy and its first events. The limits force one index lookup each.
 */
const shownOf = (chosen: string) => `
  select chosen.template_id as id, chosen.published_version as "publishedVersion", chosen.created_at as "createdAt",
         chosen.updated_at as "updatedAt", version.name, version.tags, version.topic_id as "topicId", strategy.routing,
         array(select distinct mapped.event_id from unnest(array[chosen.template_id, chosen.alias]) name
                cross join lateral (select event_id from event_mappings stored
                                     where stored.workspace_id = $1 and stored.notification_id = name collate "C"
                                     order by event_id limit ${EVENTS_SHOWN_MAX}) mapped
                order by 1 limit ${EVENTS_SHOWN_MAX}) as "eventIds"
    from (${chosen}) chosen
    cross join lateral (select name, tags, topic_id, strategy_id from notification_versions stored
                         where stored.workspace_id = $1 and stored.template_id = chosen.template_id
                           and stored.version = coalesce(chosen.published_version, 0) limit 1) version
    left join lateral (select routing from routing_strategies stored
                        where stored.workspace_id = $1 and stored.strategy_id = version.strategy_id limit 1) strategy on true
   order by chosen.created_at desc, chosen.template_id desc`;

const CHOSEN = 'select template_id, alias, published_version, created_at, updated_at from notification_templates';

// SQL because one statement reads a page with its versions, routing and events.
const PAGE = statement(
  'templates-page',
  shownOf(`${CHOSEN} where workspace_id = $1 and archived_at is null and (created_at, template_id) < ($2, $3)
            order by created_at desc, template_id desc limit $4`),
);
/** Scans the templates of the first tag and filters them by the others. */
const PAGE_OF_TAGS = statement(
  'templates-page-of-tags',
  shownOf(
    `select template.* from (
       select template_id from notification_tags first
        where workspace_id = $1 and tag = $5 and (created_at, template_id) < ($2, $3)
          and not exists (
            select from unnest($6::text[]) wanted
             where (select true from notification_tags other
                     where other.workspace_id = $1 and other.tag = wanted collate "C"
                       and other.created_at = first.created_at and other.template_id = first.template_id limit 1) is null)
        order by created_at desc, template_id desc limit $4
     ) tagged
     cross join lateral (${CHOSEN} where workspace_id = $1 and template_id = tagged.template_id and archived_at is null limit 1) template`,
  ),
);
/** An event is mapped to one template. */
const OF_EVENT = statement(
  'templates-page-of-event',
  shownOf(
    `${CHOSEN} where workspace_id = $1 and archived_at is null
        and template_id = (select ${templateNamed('$1', 'mapped.notification_id')} from event_mappings mapped
                            where mapped.workspace_id = $1 and mapped.event_id = $2)`,
  ),
);

/** The cursors before the newest template and the newest version. */
const NEWEST_CURSOR = ['9999-12-31T23:59:59.999Z', ''];
const VERSION_MAX = 2 ** 31 - 1;

/** The path of the content in a request. */
const CONTENT = 'notification.content';

@Handles(notifications)
export class NotificationsHandlers {
  constructor(
    @InjectRepository(TemplateEntity) private readonly rows: Repository<TemplateEntity>,
    private readonly outbox: Outbox,
    @InjectRepository(TemplateVersionEntity) private readonly versionRows: Repository<TemplateVersionEntity>,
    private readonly database: Database,
    private readonly checks: RenderChecks,
  ) {}

  async list({ workspaceId }: CallContext, { cursor, notes, event_id, tags = [] }: ListTemplates) {
    const wanted = [...new Set(tags)].sort();
    const tag = JSON.stringify(['templates', workspaceId, event_id ?? null, wanted]);
    const after = cursor === undefined ? NEWEST_CURSOR : decodeCursor(tag, cursor, ['instant', 'text']);
    const rows = await (event_id === undefined
      ? this.rowsAfter(workspaceId, after, wanted)
      : this.rowsOfEvent(workspaceId, event_id, wanted));
    const cursorOf = ({ createdAt, id }: ListedRow) => [createdAt.toISOString(), id];
    return toResultsPage(
      toPage(rows, { tag, limit: PAGE_LIMIT_DEFAULT, cursorOf, toItem: (row) => toNotificationV1(row, notes ?? false) }),
    );
  }

  async create(context: CallContext, { notification, state, ...rest }: CreateTemplate) {
    rest satisfies Record<string, never>;
    return this.put(context, notification, state, (tx) => OpenTemplate.create(tx, this.outbox, context, newId('nt')));
  }

  async retrieve({ workspaceId }: CallContext, { id, version }: TemplateVersion) {
    return toTemplate(await readTemplate(this.rows.manager, workspaceId, id, parseVersion(version, SHOWN), version));
  }

  async replace(context: CallContext, { id, notification, state, if_match, ...rest }: ReplaceTemplate) {
    rest satisfies Record<string, never>;
    return this.put(context, notification, state, (tx) => OpenTemplate.lock(tx, this.outbox, context.workspaceId, id, if_match));
  }

  async archive({ workspaceId }: CallContext, { id }: NamedTemplate, tx: EntityManager) {
    const template = await OpenTemplate.lock(tx, this.outbox, workspaceId, id);
    await template.archive();
  }

  /** A page of versions: the draft first, then the published ones, newest first. */
  async versions({ workspaceId }: CallContext, { id, cursor, limit: given }: ListVersions) {
    const limit = given ?? VERSIONS_LIMIT_MAX;
    const template = await this.rows.findOneBy(named(workspaceId, id));
    if (!template) throw noTemplate(id);
    const tag = `template-versions ${workspaceId} ${template.id}`;
    const [before] = cursor === undefined ? [VERSION_MAX] : decodeCursor(tag, cursor, ['integer']);
    const versionsOf = (version: FindOperator<number> | number, take: number) =>
      this.versionRows.find({
        select: { version: true, createdAt: true },
        where: { workspaceId, templateId: template.id, version },
        order: { version: 'DESC' },
        take,
      });
    const [drafts, published] = await Promise.all([
      cursor === undefined ? versionsOf(DRAFT, 1) : [],
      versionsOf(And(MoreThan(DRAFT), LessThan(Math.min(Number(before), VERSION_MAX))), limit + 1),
    ]);
    const { paging, items } = toPage([...drafts, ...published], {
      tag,
      limit,
      cursorOf: ({ version }) => [version === DRAFT ? VERSION_MAX : version],
      toItem: (row) => toVersionNode(row, template),
    });
    return { paging, versions: items };
  }

  async publish(context: CallContext, { id, version, if_match, ...rest }: PublishTemplate) {
    rest satisfies Record<string, never>;
    const requested = parseVersion(version, DRAFT);
    return this.checks.whilePublishing(context, 'content', async (tx, check, warnings) => {
      const template = await OpenTemplate.lock(tx, this.outbox, context.workspaceId, id, if_match);
      if (requested > DRAFT) await template.publishVersion(requested, version);
      else if (requested === DRAFT) await template.publishDraft(check);
      else if (template.row.publishedVersion === null) throw notFound(`Template ${id} is not published`);
      await template.save();
      return warned(warnings);
    });
  }

  private rowsAfter(workspaceId: string, after: readonly CursorValue[], [first, ...others]: string[]) {
    const values = [workspaceId, ...after, PAGE_LIMIT_DEFAULT + 1];
    return first === undefined
      ? this.database.query<ListedRow>(PAGE, values)
      : this.database.query<ListedRow>(PAGE_OF_TAGS, [...values, first, others]);
  }

  private async rowsOfEvent(workspaceId: string, eventId: string, wanted: string[]) {
    const rows = await this.database.query<ListedRow>(OF_EVENT, [workspaceId, eventId]);
    return rows.filter(({ tags }) => wanted.every((tag) => tags.includes(tag)));
  }

  /** Puts the draft of a template, and publishes it where the request says so. */
  private async put(
    context: CallContext,
    notification: TemplatePayload,
    state: CreateTemplate['state'],
    open: (tx: EntityManager) => Promise<OpenTemplate>,
  ) {
    const fields = storableFields(notification);
    return this.checks.whilePublishing(context, CONTENT, async (tx, check, warnings) => {
      const template = await open(tx);
      const { id, revision } = template.row;
      const previous = revision === 0 ? undefined : await template.read(DRAFT);
      if (notification.alias !== undefined) await template.setAlias(notification.alias);
      await template.putDraft({ ...fields, ...withIds(fields.content, previous) });
      if (state === 'PUBLISHED') await template.publishDraft(check);
      else warnings.push(...draftWarnings(fields.content, CONTENT));
      await template.save();
      const stored = await readTemplate(tx, context.workspaceId, id, state === 'PUBLISHED' ? SHOWN : DRAFT);
      return { ...toTemplate(stored), ...warned(warnings) };
    });
  }
}

/** The payload as a version to be stored, without the ids of its elements. */
function storableFields(payload: TemplatePayload) {
  const { name, tags, brand, subscription, routing, content, alias, email, throw_on_missing_variable, ...rest } = payload;
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
    throwOnMissingVariable: throw_on_missing_variable ?? false,
    content,
  };
}
