import { Module } from '@nestjs/common';
import { AcceptModule } from '../accept/accept.module';
import { ContextModule } from '../context/context.module';
import { RecordModule } from '../record/record.module';
import { ExplanationsHandlers } from './explain/explanations.handlers';
import { MessagesHandlers } from './messages.handlers';
import { ReadYourWrites } from './read-your-writes';
import { ArchiveSweeper, RequestsHandlers } from './requests.handlers';
import { StoredSends } from './stored-sends';

/** Messages and requests, for clients. */
@Module({
  imports: [AcceptModule, ContextModule, RecordModule],
  controllers: [MessagesHandlers, RequestsHandlers, ExplanationsHandlers],
  providers: [ReadYourWrites, ArchiveSweeper, StoredSends],
  exports: [ReadYourWrites, StoredSends],
})
export class QueriesModule {}
