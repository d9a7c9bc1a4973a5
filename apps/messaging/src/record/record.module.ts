import { Module } from '@nestjs/common';
import { OpenMessagesNotifier, StoredMessageNotifier } from './notifiers';

/** Notifiers of stored and of due messages. */
@Module({ providers: [OpenMessagesNotifier, StoredMessageNotifier], exports: [OpenMessagesNotifier, StoredMessageNotifier] })
export class RecordModule {}
