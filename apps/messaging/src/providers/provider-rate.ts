import { Injectable } from '@nestjs/common';
import { Database, type Queryable, statement } from '@tidings/persistence/database';
import { intervalMs, type RateLimit } from './rate-limit';

const SECOND_MS = 1_000;

// SQL because rate-limited calls wait for it: one upsert reserves their slots on the database's clock.
/**
 * Advances the next free slot of a configuration by the reserved time, on the database's clock, which all replicas share. The queue is
 * bounded to a year: without the bound it could exceed the range of timestamps.
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

/** The rate limit of a configuration and its key. */
export interface RatedConfiguration {
  readonly workspaceId: string;
  readonly id: string;
  /** Absent: unlimited. */
  readonly rateLimit?: RateLimit;
}

/** Calls within this time reserve their slots together. */
const LINGER_MS = 5;

/** Calls whose `withinMs` differ by less reserve together. */
const WITHIN_STEP_MS = 1_000;

interface Reservation {
  count: number;
  readonly slots: Promise<number[]>;
}

/**
 * Reserves slots for the calls of rate-limited providers, over all replicas: evenly spaced (GCRA without bursts), so that no period,
 * wherever it begins, has more calls than the rate allows. Refuses no reservation, however long the queue.
 */
@Injectable()
export class RateLimiter {
  private readonly reservations = new Map<string, Reservation>();

  constructor(private readonly database: Database) {}

  /**
   * Reserves a slot for one call, together with other calls of this process; resolves with the ms until it. Undefined, without a
   * reservation, when the next slot lies later than `withinMs`. Rejects while the database is unavailable.
   */
  async reserveSlot(configuration: RatedConfiguration, withinMs: number): Promise<number | undefined> {
    const within = Math.max(0, Math.floor(withinMs / WITHIN_STEP_MS) * WITHIN_STEP_MS);
    const name = `${configuration.workspaceId}:${configuration.id}:${within}`;
    const reservation = this.reservations.get(name) ?? this.open(name, configuration, within);
    const index = reservation.count;
    reservation.count += 1;
    return (await reservation.slots)[index];
  }

  private open(name: string, configuration: RatedConfiguration, withinMs: number) {
    const reservation: Reservation = {
      count: 0,
      slots: new Promise<void>((resolve) => setTimeout(resolve, LINGER_MS)).then(() => {
        this.reservations.delete(name);
        return this.reserve(configuration, reservation.count, withinMs);
      }),
    };
    this.reservations.set(name, reservation);
    return reservation;
  }

  /**
   * Reserves `count` slots, at least 1; resolves with the start of each, in ms from now, ascending. Slots later than `withinMs`
   * are not reserved, so fewer may be returned. An unused slot is lost. Without a limit all start now.
   */
  async reserve({ workspaceId, id, rateLimit }: RatedConfiguration, count: number, withinMs = Infinity): Promise<number[]> {
    const now = new Array<number>(count).fill(0);
    if (!rateLimit) return now;
    const between = intervalMs(rateLimit);
    const advance = async (queryable: Queryable, slots: number) => {
      const [row] = await queryable.query<{ end_in_ms: number }>(RESERVE, [workspaceId, id, (between * slots) / SECOND_MS]);
      // `end_in_ms` is the start of the next slot. Reserving none returns it, and locks the row for the rest of the transaction.
      return row && Array.from({ length: slots + 1 }, (_, index) => Math.max(0, row.end_in_ms - (slots - index) * between));
    };
    if (withinMs === Infinity) return (await advance(this.database, count))?.slice(0, count) ?? now; // removed meanwhile: the call fails then
    return this.database.transaction(async (tx) => {
      const [first] = (await advance(tx, 0)) ?? [];
      if (first === undefined) return now;
      const fitting = Math.min(count, first > withinMs ? 0 : Math.floor((withinMs - first) / between) + 1);
      return fitting === 0 ? [] : ((await advance(tx, fitting)) ?? []).slice(0, fitting);
    });
  }
}
