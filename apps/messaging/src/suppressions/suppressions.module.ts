import { Module } from '@nestjs/common';
import { ProvidersModule } from '../providers/providers.module';
import { SuppressionHashes } from './suppression-hashes';
import { Suppressions } from './suppressions';
import { SuppressionsHandlers } from './suppressions.handlers';
import { UnsubscribesHandlers } from './unsubscribes.handlers';

/** Addresses to which nothing is sent. */
@Module({
  imports: [ProvidersModule],
  controllers: [SuppressionsHandlers, UnsubscribesHandlers],
  providers: [Suppressions, SuppressionHashes],
  exports: [Suppressions, SuppressionHashes],
})
export class SuppressionsModule {}
