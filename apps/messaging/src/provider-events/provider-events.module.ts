import { Module } from '@nestjs/common';
import { RecordModule } from '../record/record.module';
import { StatisticsModule } from '../statistics/statistics.module';
import { SuppressionsModule } from '../suppressions/suppressions.module';
import { ParkedEvents } from './parked-events';
import { ProviderEvents } from './provider-events';
import { ProviderEventsConsumer } from './provider-events.consumer';

/** What providers report of the messages that they accepted. */
@Module({
  imports: [RecordModule, StatisticsModule, SuppressionsModule],
  providers: [ProviderEvents, ProviderEventsConsumer, ParkedEvents],
  exports: [ProviderEventsConsumer],
})
export class ProviderEventsModule {}
