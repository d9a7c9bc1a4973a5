import { Module } from '@nestjs/common';
import { AuditEventsHandlers } from './audit-events.handlers';

/** Audit events. */
@Module({ controllers: [AuditEventsHandlers] })
export class AuditModule {}
