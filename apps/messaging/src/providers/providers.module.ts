import { Module } from '@nestjs/common';
import { RecordModule } from '../record/record.module';
import { StatisticsModule } from '../statistics/statistics.module';
import { BounceGuard } from './bounce-guard';
import { Breakers } from './breakers';
import { CallbackAddresses } from './callback-addresses';
import { ProviderCallbacksHandlers } from './provider-callbacks.handlers';
import { ProviderChanges, ProviderConfigurations } from './provider-configurations';
import { RateLimiter } from './provider-rate';
import { ProviderHealthHandlers } from './provider-health.handlers';
import { ProviderPauses } from './provider-pauses';
import { ProviderTester } from './provider-tester';
import { ProviderPausesHandlers } from './provider-pauses.handlers';
import { ProvidersHandlers } from './providers.handlers';
import { SenderDomains } from './sender-domains';
import { SendersHandlers } from './senders.handlers';

/** Configurations of providers with their pauses, breakers and rates. */
@Module({
  imports: [RecordModule, StatisticsModule],
  controllers: [ProvidersHandlers, ProviderCallbacksHandlers, ProviderPausesHandlers, ProviderHealthHandlers, SendersHandlers],
  providers: [
    ProviderChanges,
    CallbackAddresses,
    ProviderConfigurations,
    ProviderPauses,
    ProviderTester,
    SenderDomains,
    Breakers,
    RateLimiter,
    BounceGuard,
  ],
  exports: [ProviderChanges, ProviderConfigurations, ProviderPauses, SenderDomains, Breakers, RateLimiter, BounceGuard, CallbackAddresses],
})
export class ProvidersModule {}
