import { Module } from '@nestjs/common';
import { DeliverModule } from '../deliver/deliver.module';
import { ProvidersModule } from '../providers/providers.module';
import { RecordModule } from '../record/record.module';
import { BulkHandlers } from './bulk/bulk.handlers';
import { BulkJobsHandlers } from './bulk/bulk-jobs.handlers';
import { ExpansionRunner } from './expansion.runner';

/** Expands requests to many recipients, and runs bulk jobs. */
@Module({
  imports: [DeliverModule, ProvidersModule, RecordModule],
  controllers: [BulkHandlers, BulkJobsHandlers],
  providers: [ExpansionRunner],
  exports: [ExpansionRunner],
})
export class ExpandModule {}
