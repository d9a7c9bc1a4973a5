import { Module } from '@nestjs/common';
import { RecordModule } from '../record/record.module';
import { Breakers } from './breakers';
import { ProviderChanges, ProviderConfigurations } from './provider-configurations';
import { RateLimiter } from './provider-rate';
import { SecretsReseal } from './provider-secrets';
import { ProvidersHandlers } from './providers.handlers';
import { SenderDomains } from './sender-domains';
import { SendersHandlers } from './senders.handlers';

/** Configurations of providers with their breakers and rates. */
@Module({
  imports: [RecordModule],
  controllers: [ProvidersHandlers, SendersHandlers],
  providers: [ProviderChanges, ProviderConfigurations, SecretsReseal, SenderDomains, Breakers, RateLimiter],
  exports: [ProviderChanges, ProviderConfigurations, SenderDomains, Breakers, RateLimiter],
})
export class ProvidersModule {}
