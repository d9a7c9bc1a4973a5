import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { byKey } from '@tidings/persistence/by-key';
import { Database, statement } from '@tidings/persistence/database';
import { LRUCache } from 'lru-cache';
import { isShort, type RenderingBase, wholeEmail } from './short-email';
import { deleteInSteps } from './sql';
import type { RenderedFields, StoredRendering } from './stored-events';
import { instantOf } from './weeks';

const HOUR_MS = 3_600_000;
/** How long a process relies on a base that it stored: a server that took over meanwhile may lack it. Then it stores it again. */
const RELIED_MS = 60_000;
/** The time of the last use is written as often as this. */
const USE_NOTED_MS = 12 * HOUR_MS;
/** Longer than `USE_NOTED_MS`, `RELIED_MS`, a commit, and differences between the clocks that created message ids. */
const UNUSED_MS = 72 * HOUR_MS;
const STORED_MAX = 10_000;
/** Characters of cached texts. */
const TEXTS_CHARS_MAX = 16_000_000;
/** Rows of one step, a transaction of its own. */
const STEP_ROWS = 1_000;

// SQL because a batch is one statement, and bases are removed in steps that skip locked rows.
const STORE = statement(
  'messaging.store_rendering_bases',
  `insert into rendering_bases (workspace_id, hash, content)
   select * from json_to_recordset($1::json) as input(workspace_id uuid, hash text, content text) order by workspace_id, hash
   on conflict (workspace_id, hash) do update set used_at = clock_timestamp()
    where rendering_bases.used_at < clock_timestamp() - interval '${USE_NOTED_MS} milliseconds'`,
);

const LOAD = statement(
  'messaging.load_rendering_bases',
  `select rendering_bases.* from rendering_bases
     join json_to_recordset($1::json) as input(workspace_id uuid, hash text)
       on input.workspace_id = rendering_bases.workspace_id and input.hash = rendering_bases.hash
    where ${byKey('input.workspace_id')}`,
);

const START = statement('messaging.rendering_bases_start', 'select extract(epoch from at) * 1000 as ms from rendering_bases_start');

/** The id of the oldest message with a history, in any partition. */
const OLDEST = statement('messaging.oldest_history', 'select message_id from history order by message_id limit 1');

const REMOVE = statement(
  'messaging.remove_rendering_bases',
  `delete from rendering_bases where (workspace_id, hash) in (
     select workspace_id, hash from rendering_bases where used_at < to_timestamp($1 / 1000.0)
      order by workspace_id, hash limit ${STEP_ROWS} for update skip locked)`,
);

type BaseKey = Pick<RenderingBase, 'workspaceId' | 'hash'>;

/** Stored events of a message. */
interface Rows {
  readonly workspaceId: string;
  /** Not an array where the row is inconsistent. */
  readonly events: readonly HistoryEvent[] | null;
}

/** Stores and loads the bases of stored e-mails (ADR 23). */
@Injectable()
export class RenderingBases implements OnModuleInit {
  /** When the first e-mail may refer to a base: no process of an earlier version runs then. ms since the epoch. */
  startMs = Infinity;
  private readonly stored = new LRUCache<string, true>({ max: STORED_MAX, ttl: RELIED_MS });
  private readonly texts = new LRUCache<string, string>({ maxSize: TEXTS_CHARS_MAX, sizeCalculation: ({ length }) => length + 1 });

  constructor(private readonly database: Database) {}

  async onModuleInit() {
    const [start] = await this.database.query<{ ms: string }>(START);
    this.startMs = Number(start?.ms ?? Infinity);
  }

  /** Resolves when these bases are committed, and are not removed before messages that are stored within the next hours. */
  async store(bases: readonly RenderingBase[]): Promise<void> {
    const missing = new Map(bases.flatMap((base) => (this.stored.has(nameOf(base)) ? [] : [[nameOf(base), base]])));
    if (missing.size === 0) return;
    const start = performance.now();
    const rows = [...missing.values()].map(({ workspaceId: workspace_id, hash, text: content }) => ({ workspace_id, hash, content }));
    await this.database.execute(STORE, [JSON.stringify(rows)]);
    for (const name of missing.keys()) this.stored.set(name, true, { start });
  }

  /** Relies on no stored base any more: a server that took over may lack the last commits of the one before. */
  forgetStored(): void {
    this.stored.clear();
  }

  /** The bases of all e-mails in these rows, those that are not cached by one statement. */
  async load(rows: readonly Rows[]): Promise<LoadedBases> {
    const found = new Map<string, string>();
    const missing = new Map<string, { workspace_id: string; hash: string }>();
    for (const key of rows.flatMap(basesOf)) {
      const name = nameOf(key);
      const text = this.texts.get(name);
      if (text === undefined) missing.set(name, { workspace_id: key.workspaceId, hash: key.hash });
      else found.set(name, text);
    }
    for (const { workspace_id: workspaceId, hash, content } of await this.read([...missing.values()])) {
      const name = nameOf({ workspaceId, hash });
      this.texts.set(name, content);
      found.set(name, content);
    }
    return new LoadedBases(found);
  }

  private async read(keys: readonly { workspace_id: string; hash: string }[]) {
    if (keys.length === 0) return [];
    return this.database.query<{ workspace_id: string; hash: string; content: string }>(LOAD, [JSON.stringify(keys)]);
  }
}

/** Texts of bases that were loaded for some rows. */
export class LoadedBases {
  constructor(private readonly texts: ReadonlyMap<string, string>) {}

  /** The rendering of a RENDERED event as it was sent. @throws Error where its base is not stored */
  renderingOf(workspaceId: string, event: HistoryEvent): StoredRendering {
    const { output, ...rendering } = event as unknown as RenderedFields;
    if (!output || !isShort(output)) return { ...rendering, output };
    const hash = output.difference?.base ?? '';
    const text = this.texts.get(nameOf({ workspaceId, hash }));
    if (text === undefined) throw new Error(`Base "${hash}" of a stored e-mail is missing`);
    return { ...rendering, output: wholeEmail(output, text) };
  }
}

/**
 * Removes bases that no history refers to. A history row was stored at most `USE_NOTED_MS` and `RELIED_MS` after the noted use of its base,
 * and not before its message was created. So bases that were not used for longer than the oldest history is old, and `UNUSED_MS`, are in
 * no row. A base that another process uses at this instant is locked, and skipped; one that is
 * removed at this instant makes that process wait, and is inserted again.
 * @param retainedFromMs histories of messages from this time on may still be stored; ms since the epoch.
 */
export async function removeUnusedBases(database: Database, retainedFromMs: number, stopping: () => boolean): Promise<void> {
  const [oldest] = await database.query<{ message_id: string }>(OLDEST);
  const usedMs = Math.min(retainedFromMs, oldest ? instantOf(oldest.message_id) : Infinity) - UNUSED_MS;
  await deleteInSteps(database, REMOVE, [usedMs], { rows: STEP_ROWS, stopping });
}

/** The e-mails of these rows that need a base. */
function basesOf({ workspaceId, events }: Rows): BaseKey[] {
  if (!Array.isArray(events)) return [];
  return (events as HistoryEvent[]).flatMap((event) => {
    const { output } = event as unknown as RenderedFields;
    const hash = event.type === 'RENDERED' && output && isShort(output) ? output.difference?.base : undefined;
    return typeof hash === 'string' ? [{ workspaceId, hash }] : []; // an inconsistent row must not fail the others
  });
}

function nameOf({ workspaceId, hash }: BaseKey) {
  return `${workspaceId}/${hash}`;
}
