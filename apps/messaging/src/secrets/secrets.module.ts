import { Module } from '@nestjs/common';
import { ProvidersModule } from '../providers/providers.module';
import { SuppressionsModule } from '../suppressions/suppressions.module';
import { SecretsHandlers } from './secrets.handlers';

/** Seals what messaging stores sealed again. */
@Module({ imports: [ProvidersModule, SuppressionsModule], controllers: [SecretsHandlers] })
export class SecretsModule {}
