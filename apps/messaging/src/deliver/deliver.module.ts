import { Module } from '@nestjs/common';
import { ContextModule } from '../context/context.module';
import { ProvidersModule } from '../providers/providers.module';
import { RecordModule } from '../record/record.module';
import { StatisticsModule } from '../statistics/statistics.module';
import { SuppressionsModule } from '../suppressions/suppressions.module';
import { DeliveryReleaser } from './delivery-releaser';
import { Dispatcher } from './dispatcher';
import { EmailBases } from './email-bases';
import { OutcomeWriter } from './outcome-writer';
import { Processor } from './processor';
import { ProviderCalls } from './provider-calls';
import { ReceiptPoller } from './receipt-poller';
import { Renderer } from './renderer';
import { StepWriter } from './step-writer';
import { TokenReporter } from './token-reporter';

/** Renders messages, stores their steps, calls providers. */
@Module({
  imports: [ContextModule, ProvidersModule, RecordModule, StatisticsModule, SuppressionsModule],
  providers: [
    Renderer,
    EmailBases,
    Processor,
    ProviderCalls,
    TokenReporter,
    StepWriter,
    OutcomeWriter,
    Dispatcher,
    DeliveryReleaser,
    ReceiptPoller,
  ],
  exports: [Renderer, Processor, Dispatcher],
})
export class DeliverModule {}
