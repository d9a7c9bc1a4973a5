import { Module } from '@nestjs/common';
import { ContextModule } from '../context/context.module';
import { ProvidersModule } from '../providers/providers.module';
import { RecordModule } from '../record/record.module';
import { DeliveryReleaser } from './delivery-releaser';
import { Dispatcher } from './dispatcher';
import { EmailBases } from './email-bases';
import { OutcomeWriter } from './outcome-writer';
import { Processor } from './processor';
import { ProviderCalls } from './provider-calls';
import { Renderer } from './renderer';
import { StepWriter } from './step-writer';
import { TokenReporter } from './token-reporter';

/** Renders messages, stores their steps, calls providers. */
@Module({
  imports: [ContextModule, ProvidersModule, RecordModule],
  providers: [Renderer, EmailBases, Processor, ProviderCalls, TokenReporter, StepWriter, OutcomeWriter, Dispatcher, DeliveryReleaser],
  exports: [Renderer, Processor, Dispatcher],
})
export class DeliverModule {}
