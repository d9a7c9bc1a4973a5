import { Module } from '@nestjs/common';
import { OpenMessagesNotifier, StoredMessageNotifier } from './notifiers';
import { RenderingBases } from './rendering-bases';

const SERVICES = [OpenMessagesNotifier, StoredMessageNotifier, RenderingBases];

/** Notifiers of stored and of due messages, and the bases of stored e-mails. */
@Module({ providers: SERVICES, exports: SERVICES })
export class RecordModule {}
