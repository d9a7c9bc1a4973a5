import { Injectable } from '@nestjs/common';
import type { ProviderConfiguration } from '../providers/provider-configurations';
import { ProviderRates } from '../providers/provider-rate';

/** Calls within this time reserve their slots together. */
const LINGER_MS = 5;

/** Calls whose `withinMs` differ by less reserve together. */
const WITHIN_STEP_MS = 1_000;

interface Reservation {
  count: number;
  readonly slots: Promise<number[]>;
}

/** Reserves slots of rate-limited providers, for many calls at a time. */
@Injectable()
export class RateLimiter {
  private readonly reservations = new Map<string, Reservation>();

  constructor(private readonly rates: ProviderRates) {}

  /**
   * Reserves a slot for one call; resolves with the ms until it. Undefined, without a reservation, when the next slot lies later than
   * `withinMs`. Rejects while the database is unavailable.
   */
  async reserveSlot(configuration: ProviderConfiguration, withinMs?: number): Promise<number | undefined> {
    const within = withinMs === undefined ? undefined : Math.max(0, Math.floor(withinMs / WITHIN_STEP_MS) * WITHIN_STEP_MS);
    const name = `${configuration.workspaceId}:${configuration.id}:${within ?? ''}`;
    const reservation = this.reservations.get(name) ?? this.open(name, configuration, within);
    const index = reservation.count;
    reservation.count += 1;
    return (await reservation.slots)[index];
  }

  private open(name: string, configuration: ProviderConfiguration, withinMs: number | undefined): Reservation {
    const reservation: Reservation = {
      count: 0,
      slots: new Promise<void>((resolve) => setTimeout(resolve, LINGER_MS)).then(() => {
        this.reservations.delete(name);
        return this.rates.reserve(configuration, reservation.count, withinMs);
      }),
    };
    this.reservations.set(name, reservation);
    return reservation;
  }
}
