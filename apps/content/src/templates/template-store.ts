import { conflict, notFound } from '@tidings/contracts/core/refusals';
import { And, type EntityManager, In, LessThanOrEqual, MoreThan, Not, type QueryDeepPartialEntity } from 'typeorm';
import { notificationHappened } from '@tidings/contracts/content/events';
import { VERSIONS_RETAINED_MAX } from '@tidings/contracts/content/notifications';
import { advisoryLock } from '@tidings/persistence/advisory';
import { statement, transactionOf } from '@tidings/persistence/database';
import { isUniqueViolation } from '@tidings/persistence/errors';
import type { Outbox } from '@tidings/persistence/outbox';
import { countForQuota, type QuotaOwner } from '@tidings/persistence/quotas';
import { jsonBytes } from '../json-bytes';
import { publishChange } from '../publish-change';
import type { CheckPublished } from '../rendering/render-checks';
import { lockStrategy } from '../routing-strategy.entity';
import { STORED_TEMPLATES } from '../stored-templates';
import { TemplateStrategyEntity, TemplateTagEntity } from './template-links.entity';
import { elementalOf, type StoredVersion, TemplateVersionEntity, type VersionFields } from './template-version.entity';
import { etagOf, noTemplate, TemplateEntity } from './template.entity';
import { assertEmail } from './template-email';
import { named } from './template-names';
import { DRAFT, versionName } from './version-name';

// SQL because the content is copied within the database.
const COPY_DRAFT = statement(
  'template-versions-copy-draft',
  `insert into notification_versions
     (workspace_id, template_id, version, name, tags, brand_id, topic_id, strategy_id, email, throw_on_missing_variable,
      content, element_ids, bytes)
   select workspace_id, template_id, $3, name, tags, brand_id, topic_id, strategy_id, email, throw_on_missing_variable,
          content, element_ids, bytes
     from notification_versions where workspace_id = $1 and template_id = $2 and version = 0`,
);
// SQL because it writes only the tags that differ.
/** The tags of the published version, or of the draft where none is published, as listings show them. */
const RETAG = statement(
  'template-tags-write',
  `with shown as (
     select tags from notification_versions where workspace_id = $1 and template_id = $2 and version = $3
   ), removed as (
     delete from notification_tags where workspace_id = $1 and template_id = $2 and tag <> all (select unnest(tags) from shown)
   )
   insert into notification_tags (workspace_id, template_id, created_at, tag)
   select distinct $1::uuid, $2, $4::timestamptz, unnest(tags) from shown
   on conflict do nothing`,
);
// SQL because it writes only the links that differ.
/** The strategies of the draft and of the published version. */
const RELINK = statement(
  'template-links-write',
  `with wanted as (
     select distinct strategy_id from notification_versions
      where workspace_id = $1 and template_id = $2 and version in (0, $3) and strategy_id is not null
   ), removed as (
     delete from notification_strategies
      where workspace_id = $1 and template_id = $2 and strategy_id not in (select strategy_id from wanted)
   )
   insert into notification_strategies (workspace_id, template_id, created_at, strategy_id)
   select $1::uuid, $2, $4::timestamptz, strategy_id from wanted
   on conflict do nothing`,
);

/** Serializes changes of aliases: two templates that swap theirs would deadlock. */
const lockAliases = advisoryLock('template-aliases', 'content');

/** A template whose row is locked by a transaction that changes it. `save` writes the changes, once. */
export class OpenTemplate {
  private changed = false;
  private published = false;
  private effective = false;

  private constructor(
    private readonly tx: EntityManager,
    private readonly outbox: Outbox,
    private readonly workspaceId: string,
    readonly row: TemplateEntity,
  ) {}

  /** @throws ServiceError as `countForQuota`. */
  static async create(tx: EntityManager, outbox: Outbox, owner: QuotaOwner, id: string) {
    const { workspaceId } = owner;
    await tx.insert(TemplateEntity, { workspaceId, id, revision: 0, latestVersion: 0, createdAt: () => 'now()' });
    await countForQuota(transactionOf(tx), owner, STORED_TEMPLATES, 1);
    const row = await tx.findOneByOrFail(TemplateEntity, { workspaceId, id });
    const template = new OpenTemplate(tx, outbox, workspaceId, row);
    template.effective = true; // caches may have stored that the template does not exist
    return template;
  }

  /**
   * Locks the template's row.
   * @param name its id or alias.
   * @param ifMatch the etag that the caller read; absent: any.
   * @throws ServiceError `not_found`, or `conflict` when the template has changed since.
   */
  static async lock(tx: EntityManager, outbox: Outbox, workspaceId: string, name: string, ifMatch?: string | null) {
    const row = await tx.findOne(TemplateEntity, { where: named(workspaceId, name), lock: { mode: 'pessimistic_write' } });
    if (!row) throw noTemplate(name);
    assertMatch(row, ifMatch);
    return new OpenTemplate(tx, outbox, workspaceId, row);
  }

  /** @param sent the version as the client wrote it, for errors. @throws ServiceError `not_found`. */
  async read(version: number, sent?: string | null) {
    const row = await this.tx.findOneBy(TemplateVersionEntity, { ...this.key, version });
    if (!row) throw notFound(`Template ${this.row.id} has no version ${sent ?? versionName(version)}`);
    return row as StoredVersion;
  }

  /** @throws ServiceError `conflict` when it is another template's alias or id; lookups by id come first. */
  async setAlias(alias: string | null) {
    if (alias === this.row.alias) return;
    await lockAliases(this.tx, this.workspaceId);
    if (alias !== null && alias !== this.row.id && (await this.tx.existsBy(TemplateEntity, { workspaceId: this.workspaceId, id: alias }))) {
      throw conflict(`The alias ${alias} is another template's id`);
    }
    this.row.alias = alias;
    this.changed = this.effective = true;
  }

  /** @throws ServiceError `invalid_request` when the strategy does not exist. */
  async putDraft(fields: VersionFields) {
    await lockStrategy(this.tx, this.workspaceId, fields.strategyId);
    await this.tx.upsert(TemplateVersionEntity, this.rowOf(fields, DRAFT), ['workspaceId', 'templateId', 'version']);
    this.row.draftVersion = null;
    this.changed = true;
  }

  /**
   * Publishes the draft as a new version, or the version that it equals.
   * @param check of the content; a version published before is not checked again.
   */
  async publishDraft(check: CheckPublished) {
    if (this.row.draftVersion !== null) return this.publishVersion(this.row.draftVersion);
    const draft = await this.read(DRAFT);
    if (draft.email) assertEmail(draft.email, 'email');
    check(elementalOf(draft), { isOfBlocks: draft.elementIds === null });
    await lockStrategy(this.tx, this.workspaceId, draft.strategyId);
    await transactionOf(this.tx).execute(COPY_DRAFT, [this.workspaceId, this.row.id, this.nextVersion()]);
    this.row.draftVersion = this.row.latestVersion;
  }

  /** Publishes an earlier version; nothing where it is published already. Parameters and errors as for `read`. */
  async publishVersion(version: number, sent?: string | null) {
    if (version === this.row.publishedVersion) return;
    const { strategyId } = await this.read(version, sent);
    await lockStrategy(this.tx, this.workspaceId, strategyId);
    this.row.publishedVersion = version;
    this.published = this.changed = true;
  }

  /** Publishes a new version that is not made of the draft. A draft that equals the published version follows it. */
  async putPublished(fields: VersionFields, check: CheckPublished) {
    const { draftVersion, publishedVersion } = this.row;
    if (draftVersion !== null && draftVersion === publishedVersion) {
      await this.putDraft(fields);
      return this.publishDraft(check);
    }
    check(elementalOf(fields), { isOfBlocks: fields.elementIds === null });
    await lockStrategy(this.tx, this.workspaceId, fields.strategyId);
    await this.tx.insert(TemplateVersionEntity, this.rowOf(fields, this.nextVersion()));
  }

  /** Writes the row, its tags and links, and publishes events. Does nothing where nothing changed. */
  async save() {
    if (!this.changed) return;
    const { tx, workspaceId, row } = this;
    const { id, alias, latestVersion, publishedVersion, draftVersion, createdAt } = row;
    const revision = (row.revision += 1);
    // The first write of a template is its creation, not a change of it.
    const updatedAt = revision === 1 ? undefined : () => 'greatest(now(), created_at)';
    try {
      await tx.update(TemplateEntity, { workspaceId, id }, { alias, revision, latestVersion, publishedVersion, draftVersion, updatedAt });
    } catch (error) {
      if (!isUniqueViolation(error, 'notification_templates_alias')) throw error;
      throw conflict(`The alias ${alias} is another template's already`);
    }
    const transaction = transactionOf(tx);
    await transaction.execute(RETAG, [workspaceId, id, publishedVersion ?? DRAFT, createdAt]);
    await transaction.execute(RELINK, [workspaceId, id, publishedVersion, createdAt]);
    if (this.published) {
      const retained = [publishedVersion, draftVersion].filter((version) => version !== null);
      const old = And(MoreThan(DRAFT), LessThanOrEqual(latestVersion - VERSIONS_RETAINED_MAX), Not(In(retained)));
      await tx.delete(TemplateVersionEntity, { ...this.key, version: old });
      await this.outbox.add(transaction, notificationHappened, {
        payload: { workspaceId, notificationId: id, type: 'notification:published', at: Date.now() },
      });
    }
    if (this.published || this.effective) await this.publishChange();
  }

  /** Archives the template: it is not found any more, and its alias is free. */
  async archive() {
    const { tx, workspaceId, row } = this;
    const { id, revision } = row;
    await tx.update(TemplateEntity, { workspaceId, id }, { archivedAt: () => 'now()', alias: null, revision: revision + 1 });
    await tx.delete(TemplateTagEntity, this.key);
    await tx.delete(TemplateStrategyEntity, this.key);
    await this.publishChange();
  }

  private async publishChange() {
    await publishChange(this.outbox, this.tx, { workspaceId: this.workspaceId, kind: 'template', id: this.row.id });
  }

  private nextVersion() {
    this.row.latestVersion += 1;
    this.row.publishedVersion = this.row.latestVersion;
    this.published = this.changed = true;
    return this.row.latestVersion;
  }

  /** A version as it is stored now; `fields` may be those of another one. */
  private rowOf(fields: VersionFields, version: number) {
    const { name, tags, email, content } = fields;
    return {
      ...fields,
      ...this.key,
      version,
      bytes: jsonBytes([content, [name, tags], email]),
      createdAt: () => 'now()',
    } as QueryDeepPartialEntity<TemplateVersionEntity>;
  }

  private get key() {
    return { workspaceId: this.workspaceId, templateId: this.row.id };
  }
}

function assertMatch(row: TemplateEntity, ifMatch: string | null | undefined) {
  const wanted = ifMatch?.trim();
  if (!wanted || wanted === '*') return;
  const tags = wanted.split(',').map((tag) => /^(?:W\/)?"?([^"]*)"?$/.exec(tag.trim())?.[1]);
  if (tags.includes(etagOf(row))) return;
  throw conflict(
    `Template ${row.id} was changed since it was read (its etag is ${etagOf(row)}, not ${wanted.slice(0, 60)}): read it again`,
  );
}
