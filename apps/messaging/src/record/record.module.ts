import { Module } from '@nestjs/common';
import { OpenMessagesNotifier, StoredMessageNotifier } from './notifiers';
import { RenderingBases } from './rendering-bases';
import { UnstoredMessages } from './unstored-messages';

const SERVICES = [OpenMessagesNotifier, StoredMessageNotifier, RenderingBases, UnstoredMessages];

/** Notifiers of stored and of due messages, the bases of stored e-mails, and the messages that are not stored yet. */
@Module({ providers: SERVICES, exports: SERVICES })
export class RecordModule {}
