import { Module } from '@nestjs/common';
import { QueriesModule } from '../queries/queries.module';
import { MessageActionsHandlers } from './message-actions.handlers';
import { RequestCancellationSweeper } from './request-cancellations';

/** Cancel and resend. */
@Module({ imports: [QueriesModule], controllers: [MessageActionsHandlers], providers: [RequestCancellationSweeper] })
export class ActionsModule {}
