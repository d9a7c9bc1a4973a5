import { Module } from '@nestjs/common';
import { AuditEventsHandlers } from './audit-events.handlers';
import { AuditProjection } from './audit-projection';

/** Audit events. */
@Module({ controllers: [AuditEventsHandlers], providers: [AuditProjection] })
export class AuditModule {}
