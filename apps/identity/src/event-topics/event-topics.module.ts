import { Module } from '@nestjs/common';
import { ProfilesModule } from '../profiles/profiles.module';
import { TenantsModule } from '../tenants/tenants.module';
import { EventTopicsHandlers } from './event-topics.handlers';

/** Signed topics of events. */
@Module({ imports: [ProfilesModule, TenantsModule], controllers: [EventTopicsHandlers] })
export class EventTopicsModule {}
