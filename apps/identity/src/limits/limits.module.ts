import { type DynamicModule, Module } from '@nestjs/common';
import { DEFAULT_RATE, type DefaultRate } from '../default-rate';
import { LimitsHandlers } from './limits.handlers';
import { RateLeasesHandlers } from './rate-leases.handlers';

/** Rate limits and quotas of workspaces, and the buckets that gateways share. */
@Module({ controllers: [LimitsHandlers, RateLeasesHandlers] })
export class LimitsModule {
  static with(defaultRate: DefaultRate): DynamicModule {
    return { module: LimitsModule, providers: [{ provide: DEFAULT_RATE, useValue: defaultRate }] };
  }
}
