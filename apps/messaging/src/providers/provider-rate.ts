import { Injectable } from '@nestjs/common';
import { Database, type Queryable, statement } from '@tidings/persistence/database';
import { intervalMs, type RateLimit } from './rate-limit';

/** Most slots of one reservation. */
const RESERVED_MAX = 10_000;
const SECOND_MS = 1_000;

/**
 * The next free slot of a configuration moves on by what was reserved, on the database's clock, which all replicas share. A
 * queue longer than a year is nobody's; without the bound it would outgrow what an instant can say.
 */
const RESERVE = statement(
  'provider-rates-reserve',
  `insert into provider_rates as rate (workspace_id, configuration_id, next_at)
   select workspace_id, configuration_id, clock_timestamp() + make_interval(secs => $3)
     from provider_configurations where workspace_id = $1 and configuration_id = $2
   on conflict (workspace_id, configuration_id) do update
     set next_at = least(greatest(rate.next_at, clock_timestamp()) + make_interval(secs => $3), clock_timestamp() + interval '1 year')
   returning (extract(epoch from next_at - clock_timestamp()) * 1000)::float8 as end_in_ms`,
);

/** What of a configuration decides how fast it may be called. */
export interface RatedConfiguration {
  readonly workspaceId: string;
  readonly id: string;
  /** Absent: as fast as can be. */
  readonly rateLimit?: RateLimit;
}

/**
 * Makes calls of a limited provider queue, over all replicas: each gets a slot of its own, evenly spaced (GCRA without bursts),
 * so that no period sees more than its rate allows, wherever one begins to count. Nothing is refused, however long the queue.
 */
@Injectable()
export class ProviderRates {
  constructor(private readonly db: Database) {}

  /**
   * Reserves `count` slots, 1 to `RESERVED_MAX`: when each call may begin, in ms from now, ascending. Of those that would begin later
   * than in `withinMs` none is taken, so fewer may come back. A slot that is not used is lost. Where there is no limit, all may
   * begin now.
   */
  async reserve({ workspaceId, id, rateLimit }: RatedConfiguration, count: number, withinMs = Infinity): Promise<number[]> {
    if (!Number.isInteger(count) || count < 1 || count > RESERVED_MAX)
      throw new Error(`1 to ${RESERVED_MAX} slots can be reserved at once, not ${count}`);
    const now = (): number[] => Array.from({ length: count }, () => 0);
    if (!rateLimit) return now();
    const between = intervalMs(rateLimit);
    const take = async (queryable: Queryable, slots: number): Promise<number[] | undefined> => {
      const [row] = await queryable.query<{ end_in_ms: number }>(RESERVE, [workspaceId, id, (between * slots) / SECOND_MS]);
      // The end is where the next slot begins; taking none tells where that is, and keeps others from it.
      return row && Array.from({ length: slots + 1 }, (_, index) => Math.max(0, row.end_in_ms - (slots - index) * between));
    };
    if (withinMs === Infinity) return (await take(this.db, count))?.slice(0, count) ?? now(); // removed meanwhile: whoever calls it learns so
    return this.db.transaction(async (tx) => {
      const [first] = (await take(tx, 0)) ?? [];
      if (first === undefined) return now();
      const fitting = Math.min(count, first > withinMs ? 0 : Math.floor((withinMs - first) / between) + 1);
      return fitting === 0 ? [] : ((await take(tx, fitting)) ?? []).slice(0, fitting);
    });
  }
}
