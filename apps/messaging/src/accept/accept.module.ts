import { Module } from '@nestjs/common';
import { DeliverModule } from '../deliver/deliver.module';
import { ExpandModule } from '../expand/expand.module';
import { RecordModule } from '../record/record.module';
import { OpenMessagesRunner } from './open-messages.runner';
import { Router } from './router';
import { SendKeysHandlers } from './send-keys.handlers';

/** Consumes accepted sends, and claims stored messages that are due. */
@Module({
  imports: [DeliverModule, ExpandModule, RecordModule],
  controllers: [SendKeysHandlers],
  providers: [Router, OpenMessagesRunner],
  exports: [Router, OpenMessagesRunner],
})
export class AcceptModule {}
