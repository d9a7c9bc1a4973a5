import { Injectable } from '@nestjs/common';
import type { ProviderConfiguration } from '../providers/provider-configurations';
import { ProviderRates } from '../providers/provider-rate';

/** Calls of one moment reserve their slots together. */
const LINGER_MS = 5;

/** Calls whose limits differ by less ask together. */
const WITHIN_STEP_MS = 1_000;

interface Asking {
  count: number;
  readonly slots: Promise<number[]>;
}

/** Slots of limited providers, reserved for many calls at a time. */
@Injectable()
export class RateLimiter {
  private readonly asking = new Map<string, Asking>();

  constructor(private readonly rates: ProviderRates) {}

  /**
   * In how many ms the call may begin; the slot is this call's alone. Undefined: not within `withinMs`, where that is given, and then
   * no slot is taken. Rejects when the database is away.
   */
  async slot(configuration: ProviderConfiguration, withinMs?: number): Promise<number | undefined> {
    const within = withinMs === undefined ? undefined : Math.max(0, Math.floor(withinMs / WITHIN_STEP_MS) * WITHIN_STEP_MS);
    const name = `${configuration.workspaceId}:${configuration.id}:${within ?? ''}`;
    const asking = this.asking.get(name) ?? this.ask(name, configuration, within);
    const place = asking.count;
    asking.count += 1;
    return (await asking.slots)[place];
  }

  private ask(name: string, configuration: ProviderConfiguration, withinMs: number | undefined): Asking {
    const asking: Asking = {
      count: 0,
      slots: new Promise<void>((resolve) => setTimeout(resolve, LINGER_MS)).then(() => {
        this.asking.delete(name);
        return this.rates.reserve(configuration, asking.count, withinMs);
      }),
    };
    this.asking.set(name, asking);
    return asking;
  }
}
