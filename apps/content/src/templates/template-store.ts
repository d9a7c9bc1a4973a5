import { contentChanged } from '@tidings/contracts/content/events';
import { notificationHappened } from '@tidings/contracts/content/notification-events';
import { VERSIONS_KEPT_MAX } from '@tidings/contracts/content/notifications';
import { ServiceError } from '@tidings/contracts/core/errors';
import { advisoryLock } from '@tidings/persistence/advisory';
import { statement, type Transaction } from '@tidings/persistence/database';
import { isUniqueViolation } from '@tidings/persistence/errors';
import type { Outbox } from '@tidings/persistence/outbox';
import { holdStrategy } from '../routing-strategies/strategy-links';
import { etagOf, noTemplate, TEMPLATE_COLUMNS, type TemplateRow, VERSION_COLUMNS, type VersionFields } from './template.rows';
import { DRAFT, versionName } from './version-name';

const INSERT = statement(
  'templates-insert',
  `insert into notification_templates (workspace_id, template_id, revision, latest_version, created_at)
   values ($1, $2, 0, 0, now()) returning ${TEMPLATE_COLUMNS}`,
);
const LOCK = statement(
  'templates-lock',
  `select ${TEMPLATE_COLUMNS} from notification_templates where workspace_id = $1 and template_id = $2 and archived_at is null for update`,
);
const UPDATE = statement(
  'templates-update',
  `update notification_templates
      set alias = $3, revision = $4, latest_version = $5, published_version = $6, draft_version = $7,
          updated_at = case when $4 > 1 then greatest(now(), created_at) end
    where workspace_id = $1 and template_id = $2`,
);
const ARCHIVE = statement(
  'templates-archive',
  `update notification_templates set archived_at = now(), alias = null, revision = revision + 1
    where workspace_id = $1 and template_id = $2`,
);
const PUT_DRAFT = statement(
  'template-versions-put-draft',
  `insert into notification_versions (workspace_id, template_id, version, ${VERSION_COLUMNS}, bytes)
   values ($1, $2, 0, $3, $4, $5, $6, $7, $8, $9, $10, $11)
   on conflict (workspace_id, template_id, version) do update set
     name = excluded.name, tags = excluded.tags, brand_id = excluded.brand_id, topic_id = excluded.topic_id,
     strategy_id = excluded.strategy_id, email = excluded.email, content = excluded.content, element_ids = excluded.element_ids,
     bytes = excluded.bytes, created_at = now()`,
);
const PUT_PUBLISHED = statement(
  'template-versions-put-published',
  `insert into notification_versions (workspace_id, template_id, version, ${VERSION_COLUMNS}, bytes)
   values ($1, $2, $12, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
);
const COPY_DRAFT = statement(
  'template-versions-copy-draft',
  `insert into notification_versions (workspace_id, template_id, version, ${VERSION_COLUMNS}, bytes)
   select workspace_id, template_id, $3, ${VERSION_COLUMNS}, bytes
     from notification_versions where workspace_id = $1 and template_id = $2 and version = 0`,
);
const VERSION = statement(
  'template-versions-retrieve',
  `select ${VERSION_COLUMNS} from notification_versions where workspace_id = $1 and template_id = $2 and version = $3`,
);
const STRATEGY = statement(
  'template-versions-strategy',
  'select strategy_id from notification_versions where workspace_id = $1 and template_id = $2 and version = $3',
);
/** The draft, what is published, and what the draft is the same as, are not among the old ones. */
const PRUNE = statement(
  'template-versions-prune',
  `delete from notification_versions
    where workspace_id = $1 and template_id = $2 and version > 0 and version <= $3 and version <> all($4::int[])`,
);
/** Of the published version, or of the draft where there is none, as listings show it. */
const RETAG = statement(
  'template-tags-write',
  `with shown as (
     select tags from notification_versions where workspace_id = $1 and template_id = $2 and version = $3
   ), gone as (
     delete from notification_tags where workspace_id = $1 and template_id = $2 and tag <> all (select unnest(tags) from shown)
   )
   insert into notification_tags (workspace_id, template_id, created_at, tag)
   select distinct $1::uuid, $2, $4::timestamptz, unnest(tags) from shown
   on conflict do nothing`,
);
const RELINK = statement(
  'template-links-write',
  `with wanted as (
     select distinct strategy_id from notification_versions
      where workspace_id = $1 and template_id = $2 and version in (0, $3) and strategy_id is not null
   ), gone as (
     delete from notification_strategies
      where workspace_id = $1 and template_id = $2 and strategy_id not in (select strategy_id from wanted)
   )
   insert into notification_strategies (workspace_id, template_id, created_at, strategy_id)
   select $1::uuid, $2, $4::timestamptz, strategy_id from wanted
   on conflict do nothing`,
);
const UNTAG = statement('template-tags-remove', 'delete from notification_tags where workspace_id = $1 and template_id = $2');
const UNLINK = statement('template-links-remove', 'delete from notification_strategies where workspace_id = $1 and template_id = $2');

/** Two templates that take each other's aliases at once would wait in a circle. */
const holdAliases = advisoryLock('template-aliases', 'content');

/** A template under its row's lock, in a transaction that changes it. `save` writes what became of it, once. */
export class OpenTemplate {
  private changed = false;
  private published = false;
  private effective = false;

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

  /** @throws ServiceError `conflict` when another template has it. */
  async setAlias(alias: string | null): Promise<void> {
    if (alias === this.row.alias) return;
    await holdAliases(this.tx, this.workspaceId);
    this.row.alias = alias;
    this.changed = this.effective = true;
  }

  /** @throws ServiceError `invalid_request` when the strategy does not exist. */
  async putDraft(fields: VersionFields): Promise<void> {
    await this.holdStrategyOf(fields.strategy_id);
    await this.tx.execute(PUT_DRAFT, [...this.key, ...valuesOf(fields)]);
    this.row.draft_version = null;
    this.changed = true;
  }

  /** Makes a version of the draft, unless it is the same as one that was published: then that one. */
  async publishDraft(): Promise<void> {
    if (this.row.draft_version !== null) return this.publishVersion(this.row.draft_version);
    const [draft] = await this.tx.query<{ strategy_id: string | null }>(STRATEGY, [...this.key, DRAFT]);
    await this.holdStrategyOf(draft!.strategy_id);
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
  async putPublished(fields: VersionFields): Promise<void> {
    const { draft_version, published_version } = this.row;
    if (draft_version !== null && draft_version === published_version) {
      await this.putDraft(fields);
      return this.publishDraft();
    }
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
      throw new ServiceError('conflict', `The alias ${row.alias} is another template's already`, { shouldRetry: false });
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

/** The columns `VERSION_COLUMNS` and `bytes`. */
function valuesOf({ name, tags, brand_id, topic_id, strategy_id, email, content, element_ids, ...rest }: VersionFields): unknown[] {
  rest satisfies Record<string, never>;
  const text = JSON.stringify(content);
  const mail = email === null ? null : JSON.stringify(email);
  const bytes = Buffer.byteLength(text) + Buffer.byteLength(mail ?? '') + Buffer.byteLength(JSON.stringify([name, tags]));
  return [name, tags, brand_id, topic_id, strategy_id, mail, text, element_ids, bytes];
}
