import type { ElementalContent } from '@tidings/contracts/content/elemental';
import { contentChanged } from '@tidings/contracts/content/events';
import { notificationHappened } from '@tidings/contracts/content/notification-events';
import { VERSIONS_KEPT_MAX } from '@tidings/contracts/content/notifications';
import { ServiceError } from '@tidings/contracts/core/errors';
import { advisoryLock } from '@tidings/persistence/advisory';
import type { Transaction } from '@tidings/persistence/database';
import { isUniqueViolation } from '@tidings/persistence/errors';
import type { Outbox } from '@tidings/persistence/outbox';
import { holdStrategy } from '../routing-strategies/strategy-links';
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

/** Two templates that take each other's aliases at once would wait in a circle. */
const holdAliases = advisoryLock('template-aliases', 'content');

/** A template under its row's lock, in a transaction that changes it. `save` writes what became of it, once. */
export class OpenTemplate {
  private changed = false;
  private published = false;
  private effective = false;
  /** The draft that was put. */
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
    template.effective = true; // a send may have been told that there is none
    return template;
  }

  /**
   * @param ifMatch what the caller read; absent where it does not matter.
   * @throws ServiceError `not_found`, or `conflict` when the template is not what was read.
   */
  static async lock(tx: Transaction, outbox: Outbox, workspaceId: string, id: string, ifMatch?: string | null): Promise<OpenTemplate> {
    const [row] = await tx.query<TemplateRow>(LOCK, [workspaceId, id]);
    if (!row) throw noTemplate(id);
    assertMatch(row, ifMatch);
    return new OpenTemplate(tx, outbox, workspaceId, row);
  }

  /** What is said in a version. @throws ServiceError `not_found`. */
  async read(version: number): Promise<VersionFields> {
    const [fields] = await this.tx.query<VersionFields>(VERSION, [...this.key, version]);
    if (!fields) throw this.noVersion(version);
    return fields;
  }

  /** @throws ServiceError `conflict` when another template has it, or is it: the id would win. */
  async setAlias(alias: string | null): Promise<void> {
    if (alias === this.row.alias) return;
    await holdAliases(this.tx, this.workspaceId);
    if (alias !== null && alias !== this.row.template_id) {
      const [named] = await this.tx.query(NAMED, [this.workspaceId, alias]);
      if (named) throw aliasTaken(alias, 'id');
    }
    this.row.alias = alias;
    this.changed = this.effective = true;
  }

  /** @throws ServiceError `invalid_request` when the strategy does not exist. */
  async putDraft(fields: VersionFields): Promise<void> {
    await this.holdStrategyOf(fields.strategy_id);
    await this.tx.execute(PUT_DRAFT, [...this.key, ...valuesOf(fields)]);
    this.row.draft_version = null;
    this.draft = fields;
    this.changed = true;
  }

  /**
   * Makes a version of the draft, unless it is the same as one that was published: then that one.
   * @param assertRenders refuses content that could not be rendered; what was published before is not asked again.
   */
  async publishDraft(assertRenders: (content: ElementalContent) => void): Promise<void> {
    if (this.row.draft_version !== null) return this.publishVersion(this.row.draft_version);
    const draft = this.draft ?? (await this.read(DRAFT));
    if (draft.email) assertEmail(draft.email, 'email');
    assertRenders(elementalOf(draft));
    await this.holdStrategyOf(draft.strategy_id);
    await this.tx.execute(COPY_DRAFT, [...this.key, this.nextVersion()]);
    this.row.draft_version = this.row.latest_version;
  }

  /** Publishes a version of before. Of what is published already it is not said again. @throws ServiceError `not_found`. */
  async publishVersion(version: number): Promise<void> {
    if (version === this.row.published_version) return;
    const [found] = await this.tx.query<{ strategy_id: string | null }>(STRATEGY, [...this.key, version]);
    if (!found) throw this.noVersion(version);
    await this.holdStrategyOf(found.strategy_id);
    this.row.published_version = version;
    this.published = this.changed = true;
  }

  /** Publishes what is no draft: a new version that leaves the draft alone, unless the draft was what is published: then it goes along. */
  async putPublished(fields: VersionFields, assertRenders: (content: ElementalContent) => void): Promise<void> {
    const { draft_version, published_version } = this.row;
    if (draft_version !== null && draft_version === published_version) {
      await this.putDraft(fields);
      return this.publishDraft(assertRenders);
    }
    assertRenders(elementalOf(fields));
    await this.holdStrategyOf(fields.strategy_id);
    await this.tx.execute(PUT_PUBLISHED, [...this.key, ...valuesOf(fields), this.nextVersion()]);
  }

  /** Writes the row, what listings find it by, and says what happened. Nothing where nothing changed. */
  async save(): Promise<void> {
    if (!this.changed) return;
    const { row } = this;
    row.revision += 1;
    const values = [row.alias, row.revision, row.latest_version, row.published_version, row.draft_version];
    try {
      await this.tx.execute(UPDATE, [...this.key, ...values]);
    } catch (error) {
      if (!isUniqueViolation(error, 'notification_templates_alias')) throw error;
      throw aliasTaken(row.alias!, 'alias');
    }
    await this.tx.execute(RETAG, [...this.key, row.published_version ?? DRAFT, row.created_at]);
    await this.tx.execute(RELINK, [...this.key, row.published_version, row.created_at]);
    if (this.published) {
      const kept = [row.published_version, row.draft_version].filter((version) => version !== null);
      await this.tx.execute(PRUNE, [...this.key, row.latest_version - VERSIONS_KEPT_MAX, kept]);
      const payload = {
        workspaceId: this.workspaceId,
        notificationId: row.template_id,
        type: 'notification:published',
        at: Date.now(),
      } as const;
      await this.outbox.add(this.tx, notificationHappened, { payload });
    }
    if (this.published || this.effective) await this.sayChanged();
  }

  /** Afterwards it is not found any more, and its alias is free. */
  async archive(): Promise<void> {
    await this.tx.execute(ARCHIVE, this.key);
    await this.tx.execute(UNTAG, this.key);
    await this.tx.execute(UNLINK, this.key);
    await this.sayChanged();
  }

  private async sayChanged(): Promise<void> {
    const payload = { workspaceId: this.workspaceId, kind: 'template', id: this.row.template_id } as const;
    await this.outbox.add(this.tx, contentChanged, { payload });
  }

  private nextVersion(): number {
    this.row.latest_version += 1;
    this.row.published_version = this.row.latest_version;
    this.published = this.changed = true;
    return this.row.latest_version;
  }

  private async holdStrategyOf(strategyId: string | null): Promise<void> {
    if (strategyId !== null) await holdStrategy(this.tx, this.workspaceId, strategyId);
  }

  private noVersion(version: number): ServiceError {
    const { template_id } = this.row;
    return new ServiceError('not_found', `Template ${template_id} has no version ${versionName(version)}`);
  }

  private get key(): [string, string] {
    return [this.workspaceId, this.row.template_id];
  }
}

function aliasTaken(alias: string, as: 'id' | 'alias'): ServiceError {
  const taken = as === 'id' ? "is another template's id" : "is another template's already";
  return new ServiceError('conflict', `The alias ${alias} ${taken}`, { shouldRetry: false });
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
