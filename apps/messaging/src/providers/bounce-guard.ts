import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { systemContext } from '@tidings/contracts/core/context';
import { DAY_MS, HOUR_MS, SECOND_MS } from '@tidings/contracts/core/duration';
import { isTransientServiceError } from '@tidings/contracts/core/errors';
import { providerPauses } from '@tidings/contracts/messaging/provider-pauses';
import { CallJournal } from '@tidings/persistence/call-journal';
import { columnsOf } from '@tidings/persistence/columns-of';
import { Database, type Queryable, statement, type Transaction, transactionOf } from '@tidings/persistence/database';
import { isMissingTable, reasonOf } from '@tidings/persistence/errors';
import { oncePerMinute } from '@tidings/persistence/idempotency-records';
import { type Timer, Timers } from '@tidings/runtime/timers';
import { addPause, lockPauses } from './add-pause';
import { ProviderChanges } from './provider-configurations';

/** The share of bounces and of complaints among the sends of an hour above which a configuration is paused. Absent: it never is. */
export interface BounceLimits {
  readonly bounces?: number;
  readonly complaints?: number;
}
export const BOUNCE_LIMITS = Symbol('BounceLimits');
export const BOUNCE_LIMITS_DEFAULT: BounceLimits = { bounces: 0.05, complaints: 0.003 };

/** Sends of an hour below which no share is computed. */
export const COUNTED_SENDS_MIN = 200;
const WINDOW_MS = HOUR_MS;
/** Nothing is reported of messages that were sent longer ago. */
const REPORTED_MS_MAX = 30 * DAY_MS;
/** Sends are counted in memory and written together, this long after the first of them. */
const FLUSH_MS = 5 * SECOND_MS;
/** Who pauses, for `paused_by` and audit events. */
export const GUARD_NAME = 'bounce-guard';

interface Configuration {
  readonly workspaceId: string;
  readonly configurationId: string;
}

interface Outcomes extends Configuration {
  sends: number;
  bounces: number;
  complaints: number;
}

// SQL because counts of many calls are added at once, and their shares are computed where they are.
const ADD = statement(
  'messaging.add_provider_outcomes',
  `insert into provider_outcomes as stored (workspace_id, configuration_id, minute, sends, bounces, complaints)
   select workspace_id, configuration_id, date_trunc('minute', clock_timestamp()), sends, bounces, complaints
     from unnest($1::uuid[], $2::text[], $3::integer[], $4::integer[], $5::integer[])
       as input (workspace_id, configuration_id, sends, bounces, complaints)
    order by workspace_id, configuration_id
   on conflict (workspace_id, configuration_id, minute) do update
     set sends = stored.sends + excluded.sends, bounces = stored.bounces + excluded.bounces,
         complaints = stored.complaints + excluded.complaints`,
);
const SUMS = statement(
  'messaging.sum_provider_outcomes',
  `select workspace_id as "workspaceId", configuration_id as "configurationId",
          sum(sends)::float8 as sends, sum(bounces)::float8 as bounces, sum(complaints)::float8 as complaints
     from provider_outcomes join unnest($1::uuid[], $2::text[]) as input (workspace_id, configuration_id) using (workspace_id, configuration_id)
    where minute > clock_timestamp() - $3 * interval '1 millisecond'
    group by workspace_id, configuration_id having sum(sends) >= $4 and sum(bounces + complaints) > 0`,
);
const FORGET = statement(
  'messaging.forget_provider_outcomes',
  `with forgotten as (delete from provider_outcomes where workspace_id = $1 and configuration_id = $2)
   insert into provider_resumptions (workspace_id, configuration_id, resumed_at) values ($1, $2, clock_timestamp())
   on conflict (workspace_id, configuration_id) do update set resumed_at = excluded.resumed_at`,
);
const RESUMED = statement(
  'messaging.provider_resumptions',
  `select workspace_id as "workspaceId", configuration_id as "configurationId", resumed_at as "resumedAt"
     from provider_resumptions join unnest($1::uuid[], $2::text[]) as input (workspace_id, configuration_id) using (workspace_id, configuration_id)`,
);
const REMOVE_OLD = statement(
  'messaging.remove_provider_outcomes',
  `with removed as (delete from provider_resumptions where resumed_at < clock_timestamp() - $2 * interval '1 millisecond')
   delete from provider_outcomes where minute < clock_timestamp() - $1 * interval '1 millisecond'`,
);

/** Begins the counts of a configuration anew, as at the end of its pause: what was sent before does not count any more. */
export async function forgetOutcomes(tx: Queryable, workspaceId: string, configurationId: string): Promise<void> {
  await tx.execute(FORGET, [workspaceId, configurationId]);
}

/**
 * Pauses a configuration, as `tidings providers pause` does, whose bounces or complaints exceed their share of the sends of the last hour:
 * mail systems soon refuse everything of such a sender. The counts of all processes are in the database, by the minute.
 */
@Injectable()
export class BounceGuard {
  private readonly logger = new Logger(BounceGuard.name);
  /** Sends that are not written yet, and configurations to check. */
  private counted = new Map<string, Outcomes>();
  private timer: Timer | undefined;
  private flushing: Promise<void> = Promise.resolve();
  private readonly removeOld = oncePerMinute(
    () => this.database.execute(REMOVE_OLD, [2 * WINDOW_MS, REPORTED_MS_MAX]),
    this.logger,
    'old counts of provider outcomes',
  );

  constructor(
    private readonly database: Database,
    private readonly journal: CallJournal,
    private readonly changes: ProviderChanges,
    private readonly timers: Timers,
    @Inject(BOUNCE_LIMITS) private readonly limits: BounceLimits,
  ) {}

  /** Counts a message that the provider accepted, or refused for its address. */
  countSend(workspaceId: string, configurationId: string): void {
    this.open({ workspaceId, configurationId }).sends += 1;
  }

  /**
   * Counts bounces and complaints with the transaction that stores them; their configurations are checked soon after its commit. Those of
   * messages from before the last pause of their configuration ended are not counted.
   */
  async count(
    tx: Pick<Transaction, 'query' | 'execute' | 'afterCommit'>,
    reports: readonly { workspaceId: string; configurationId?: string; reason: string; sentAt?: number }[],
  ): Promise<void> {
    const counted = reports.flatMap(({ configurationId, ...one }) =>
      configurationId !== undefined && (one.reason === 'hard_bounce' || one.reason === 'complaint') ? [{ ...one, configurationId }] : [],
    );
    if (counted.length === 0) return;
    const resumed = await tx.query<Configuration & { resumedAt: Date }>(RESUMED, columnsOf(counted, 'workspaceId', 'configurationId'));
    const resumedAt = new Map(resumed.map((one) => [nameOf(one), one.resumedAt.getTime()]));
    const byConfiguration = new Map<string, Outcomes>();
    for (const { sentAt = Infinity, reason, ...configuration } of counted) {
      if (sentAt < (resumedAt.get(nameOf(configuration)) ?? 0)) continue;
      const outcomes = entryOf(byConfiguration, configuration);
      outcomes[reason === 'hard_bounce' ? 'bounces' : 'complaints'] += 1;
    }
    if (byConfiguration.size === 0) return;
    await add(tx, [...byConfiguration.values()]);
    tx.afterCommit(() => {
      for (const one of byConfiguration.values()) this.open(one);
    });
  }

  /**
   * Writes what was counted, and pauses the configurations that exceed a limit. Never rejects: what could not be written is dropped. The
   * last call of a process comes before it.
   */
  flush(): Promise<void> {
    this.timers.clear(this.timer);
    this.timer = undefined;
    const counted = [...this.counted.values()];
    this.counted = new Map();
    if (counted.length > 0) this.flushing = this.flushing.then(() => this.write(counted));
    return this.flushing;
  }

  private open(configuration: Configuration) {
    this.timer ??= this.timers.setTimeout(() => void this.flush(), FLUSH_MS).unref();
    return entryOf(this.counted, configuration);
  }

  private async write(counted: readonly Outcomes[]) {
    try {
      const sent = counted.filter(({ sends }) => sends > 0);
      if (sent.length > 0) await add(this.database, sent);
      this.removeOld();
      const columns = columnsOf(counted, 'workspaceId', 'configurationId');
      const sums = await this.database.query<Outcomes>(SUMS, [...columns, WINDOW_MS, COUNTED_SENDS_MIN]);
      for (const one of sums) {
        const excess = excessOf(one, this.limits);
        // One that cannot be paused leaves the others.
        if (excess !== undefined) await this.pause(one, excess).catch((error: unknown) => this.warn(error));
      }
    } catch (error) {
      this.warn(error);
    }
  }

  /** The counts are an estimate: those of a few seconds may be missing, as while the schema is of the version before. */
  private warn(error: unknown) {
    if (!isMissingTable(error) && !isTransientServiceError(error))
      this.logger.warn(`Counting outcomes of providers failed: ${reasonOf(error)}`);
  }

  private async pause({ workspaceId, configurationId: name }: Configuration, excess: string) {
    const { pattern } = providerPauses.pause;
    const audit = { type: 'provider:paused', operation: pattern, targetIdOf: () => name, changesOnly: true } as const;
    const context = { ...systemContext(randomUUID()), workspaceId, actor: { type: 'system', id: GUARD_NAME } as const, audit };
    await this.journal.run(context, async (tx) => {
      await lockPauses(tx);
      const { isNew } = await addPause(tx, this.changes, { workspaceId, name, pausedBy: GUARD_NAME });
      if (!isNew) return;
      const message = `A provider is paused: ${excess}; "tidings providers resume" ends the pause`;
      transactionOf(tx).afterCommit(() => this.logger.warn({ message, workspaceId, configurationId: name }));
    });
  }
}

const nameOf = ({ workspaceId, configurationId }: Configuration) => `${workspaceId} ${configurationId}`;

function entryOf(counts: Map<string, Outcomes>, { workspaceId, configurationId }: Configuration) {
  const name = nameOf({ workspaceId, configurationId });
  const found = counts.get(name) ?? { workspaceId, configurationId, sends: 0, bounces: 0, complaints: 0 };
  counts.set(name, found);
  return found;
}

async function add(connection: Pick<Queryable, 'execute'>, outcomes: readonly Outcomes[]) {
  await connection.execute(ADD, columnsOf(outcomes, 'workspaceId', 'configurationId', 'sends', 'bounces', 'complaints'));
}

/** The limit that these counts exceed, in words; undefined for none. */
function excessOf({ sends, bounces, complaints }: Outcomes, limits: BounceLimits): string | undefined {
  const shares = { bounces: bounces / sends, complaints: complaints / sends };
  const exceeded = (['bounces', 'complaints'] as const).find((kind) => shares[kind] > (limits[kind] ?? Infinity));
  if (!exceeded) return undefined;
  const percent = (share: number) => `${Number((share * 100).toFixed(2))} %`;
  return `${percent(shares[exceeded])} of ${sends} sends in an hour were ${exceeded}, more than ${percent(limits[exceeded]!)}`;
}
