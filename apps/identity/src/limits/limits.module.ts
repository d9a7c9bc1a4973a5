import { Module } from '@nestjs/common';
import { LimitsHandlers } from './limits.handlers';
import { RateLeasesHandlers } from './rate-leases.handlers';

/** Rate limits and quotas of workspaces, and the buckets that gateways share. */
@Module({ controllers: [LimitsHandlers, RateLeasesHandlers] })
export class LimitsModule {}
