import type { ElementalContent } from '@tidings/contracts/content/elemental';
import { contentChanged } from '@tidings/contracts/content/events';
import { notificationHappened } from '@tidings/contracts/content/notification-events';
import { VERSIONS_KEPT_MAX } from '@tidings/contracts/content/notifications';
import { ServiceError } from '@tidings/contracts/core/errors';
import { advisoryLock } from '@tidings/persistence/advisory';
import type { Transaction } from '@tidings/persistence/database';
import { isUniqueViolation } from '@tidings/persistence/errors';
import type { Outbox } from '@tidings/persistence/outbox';
import { lockStrategy } from '../routing-strategies/strategy-links';
import { elementalOf, etagOf, noTemplate, type TemplateRow, type VersionFields } from './template.rows';
import {
  INSERT,
  LOCK,
  NAMED,
  UPDATE,
  ARCHIVE,
  PUT_DRAFT,
  PUT_PUBLISHED,
  COPY_DRAFT,
  VERSION,
  STRATEGY,
  PRUNE,
  RETAG,
  RELINK,
  UNTAG,
  UNLINK,
  valuesOf,
} from './template-statements';
import { assertEmail } from './template-email';
import { DRAFT, versionName } from './version-name';

/** Serializes changes of aliases: two templates that swap theirs would deadlock. */
const lockAliases = advisoryLock('template-aliases', 'content');

/** A template whose row is locked by a transaction that changes it. `save` writes the changes, once. */
export class OpenTemplate {
  private changed = false;
  private published = false;
  private effective = false;
  /** The draft put in this transaction. */
  private draft: VersionFields | undefined;

  private constructor(
    private readonly tx: Transaction,
    private readonly outbox: Outbox,
    private readonly workspaceId: string,
    readonly row: TemplateRow,
  ) {}

  static async create(tx: Transaction, outbox: Outbox, workspaceId: string, id: string): Promise<OpenTemplate> {
    const [row] = await tx.query<TemplateRow>(INSERT, [workspaceId, id]);
    const template = new OpenTemplate(tx, outbox, workspaceId, row!);
    template.effective = true; // caches may have stored that the template does not exist
    return template;
  }

  /**
   * Locks the template's row.
   * @param ifMatch the etag that the caller read; absent: any.
   * @throws ServiceError `not_found`, or `conflict` when the template has changed since.
   */
  static async lock(tx: Transaction, outbox: Outbox, workspaceId: string, id: string, ifMatch?: string | null): Promise<OpenTemplate> {
    const [row] = await tx.query<TemplateRow>(LOCK, [workspaceId, id]);
    if (!row) throw noTemplate(id);
    assertMatch(row, ifMatch);
    return new OpenTemplate(tx, outbox, workspaceId, row);
  }

  /** The fields of a version. @throws ServiceError `not_found`. */
  async read(version: number): Promise<VersionFields> {
    const [fields] = await this.tx.query<VersionFields>(VERSION, [...this.key, version]);
    if (!fields) throw this.noVersion(version);
    return fields;
  }

  /** @throws ServiceError `conflict` when it is another template's alias or id; lookups by id come first. */
  async setAlias(alias: string | null): Promise<void> {
    if (alias === this.row.alias) return;
    await lockAliases(this.tx, this.workspaceId);
    if (alias !== null && alias !== this.row.template_id) {
      const [named] = await this.tx.query(NAMED, [this.workspaceId, alias]);
      if (named) throw aliasInUse(alias, 'id');
    }
    this.row.alias = alias;
    this.changed = this.effective = true;
  }

  /** @throws ServiceError `invalid_request` when the strategy does not exist. */
  async putDraft(fields: VersionFields): Promise<void> {
    await this.lockStrategyOf(fields.strategy_id);
    await this.tx.execute(PUT_DRAFT, [...this.key, ...valuesOf(fields)]);
    this.row.draft_version = null;
    this.draft = fields;
    this.changed = true;
  }

  /**
   * Publishes the draft as a new version, or the version that it equals.
   * @param assertRenders refuses content that cannot be rendered; a version published before is not checked again.
   */
  async publishDraft(assertRenders: (content: ElementalContent) => void): Promise<void> {
    if (this.row.draft_version !== null) return this.publishVersion(this.row.draft_version);
    const draft = this.draft ?? (await this.read(DRAFT));
    if (draft.email) assertEmail(draft.email, 'email');
    assertRenders(elementalOf(draft));
    await this.lockStrategyOf(draft.strategy_id);
    await this.tx.execute(COPY_DRAFT, [...this.key, this.nextVersion()]);
    this.row.draft_version = this.row.latest_version;
  }

  /** Publishes an earlier version; nothing where it is published already. @throws ServiceError `not_found`. */
  async publishVersion(version: number): Promise<void> {
    if (version === this.row.published_version) return;
    const [found] = await this.tx.query<{ strategy_id: string | null }>(STRATEGY, [...this.key, version]);
    if (!found) throw this.noVersion(version);
    await this.lockStrategyOf(found.strategy_id);
    this.row.published_version = version;
    this.published = this.changed = true;
  }

  /** Publishes a new version that is not made of the draft. A draft that equals the published version follows it. */
  async putPublished(fields: VersionFields, assertRenders: (content: ElementalContent) => void): Promise<void> {
    const { draft_version, published_version } = this.row;
    if (draft_version !== null && draft_version === published_version) {
      await this.putDraft(fields);
      return this.publishDraft(assertRenders);
    }
    assertRenders(elementalOf(fields));
    await this.lockStrategyOf(fields.strategy_id);
    await this.tx.execute(PUT_PUBLISHED, [...this.key, ...valuesOf(fields), this.nextVersion()]);
  }

  /** Writes the row, its tags and links, and publishes events. Does nothing where nothing changed. */
  async save(): Promise<void> {
    if (!this.changed) return;
    const { row } = this;
    row.revision += 1;
    const values = [row.alias, row.revision, row.latest_version, row.published_version, row.draft_version];
    try {
      await this.tx.execute(UPDATE, [...this.key, ...values]);
    } catch (error) {
      if (!isUniqueViolation(error, 'notification_templates_alias')) throw error;
      throw aliasInUse(row.alias!, 'alias');
    }
    await this.tx.execute(RETAG, [...this.key, row.published_version ?? DRAFT, row.created_at]);
    await this.tx.execute(RELINK, [...this.key, row.published_version, row.created_at]);
    if (this.published) {
      const retained = [row.published_version, row.draft_version].filter((version) => version !== null);
      await this.tx.execute(PRUNE, [...this.key, row.latest_version - VERSIONS_KEPT_MAX, retained]);
      const payload = {
        workspaceId: this.workspaceId,
        notificationId: row.template_id,
        type: 'notification:published',
        at: Date.now(),
      } as const;
      await this.outbox.add(this.tx, notificationHappened, { payload });
    }
    if (this.published || this.effective) await this.publishChange();
  }

  /** Archives the template: it is not found any more, and its alias is free. */
  async archive(): Promise<void> {
    await this.tx.execute(ARCHIVE, this.key);
    await this.tx.execute(UNTAG, this.key);
    await this.tx.execute(UNLINK, this.key);
    await this.publishChange();
  }

  private async publishChange(): Promise<void> {
    const payload = { workspaceId: this.workspaceId, kind: 'template', id: this.row.template_id } as const;
    await this.outbox.add(this.tx, contentChanged, { payload });
  }

  private nextVersion(): number {
    this.row.latest_version += 1;
    this.row.published_version = this.row.latest_version;
    this.published = this.changed = true;
    return this.row.latest_version;
  }

  private async lockStrategyOf(strategyId: string | null): Promise<void> {
    if (strategyId !== null) await lockStrategy(this.tx, this.workspaceId, strategyId);
  }

  private noVersion(version: number): ServiceError {
    const { template_id } = this.row;
    return new ServiceError('not_found', `Template ${template_id} has no version ${versionName(version)}`);
  }

  private get key(): [string, string] {
    return [this.workspaceId, this.row.template_id];
  }
}

function aliasInUse(alias: string, as: 'id' | 'alias'): ServiceError {
  const reason = as === 'id' ? "is another template's id" : "is another template's already";
  return new ServiceError('conflict', `The alias ${alias} ${reason}`, { shouldRetry: false });
}

function assertMatch(row: TemplateRow, ifMatch: string | null | undefined): void {
  const wanted = ifMatch?.trim();
  if (!wanted || wanted === '*') return;
  const tags = wanted.split(',').map((tag) => /^(?:W\/)?"?([^"]*)"?$/.exec(tag.trim())?.[1]);
  if (tags.includes(etagOf(row))) return;
  throw new ServiceError(
    'conflict',
    `Template ${row.template_id} was changed since it was read (its etag is ${etagOf(row)}, not ${wanted.slice(0, 60)}): read it again`,
    { shouldRetry: false },
  );
}
