import { Module } from '@nestjs/common';
import { RecordModule } from '../record/record.module';
import { Breakers } from './breakers';
import { ProviderChanges, ProviderConfigurations } from './provider-configurations';
import { RateLimiter } from './provider-rate';
import { ProvidersHandlers } from './providers.handlers';
import { SecretsHandlers } from './secrets.handlers';
import { SenderDomains } from './sender-domains';
import { SendersHandlers } from './senders.handlers';

/** Configurations of providers with their breakers and rates. */
@Module({
  imports: [RecordModule],
  controllers: [ProvidersHandlers, SecretsHandlers, SendersHandlers],
  providers: [ProviderChanges, ProviderConfigurations, SenderDomains, Breakers, RateLimiter],
  exports: [ProviderChanges, ProviderConfigurations, SenderDomains, Breakers, RateLimiter],
})
export class ProvidersModule {}
