import { Module } from '@nestjs/common';
import { ContextModule } from '../context/context.module';
import { DeliverModule } from '../deliver/deliver.module';
import { QueriesModule } from '../queries/queries.module';
import { DryRunPlansHandlers } from './dry-run-plans.handlers';

/** Plans sends without storing or sending anything. */
@Module({
  imports: [ContextModule, DeliverModule, QueriesModule],
  controllers: [DryRunPlansHandlers],
})
export class DryRunModule {}
