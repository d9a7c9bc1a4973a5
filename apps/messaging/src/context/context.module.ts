import { Module } from '@nestjs/common';
import { ProvidersModule } from '../providers/providers.module';
import { SuppressionsModule } from '../suppressions/suppressions.module';
import { ContentChanges, ContentLoader } from './content-loader';
import { Preparation } from './preparation';

/** Loads what a batch of messages is decided with. */
@Module({
  imports: [ProvidersModule, SuppressionsModule],
  providers: [ContentChanges, ContentLoader, Preparation],
  exports: [Preparation, ContentLoader],
})
export class ContextModule {}
