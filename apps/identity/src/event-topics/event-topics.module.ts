import { Module } from '@nestjs/common';
import { TenantsModule } from '../tenants/tenants.module';
import { EventTopicsHandlers } from './event-topics.handlers';

/** Signed topics of events. */
@Module({ imports: [TenantsModule], controllers: [EventTopicsHandlers] })
export class EventTopicsModule {}
