import { Module } from '@nestjs/common';
import { EventMappingsHandlers } from './event-mappings.handlers';
import { SendingEventMappingsHandlers } from './sending-event-mappings.handlers';

/** Event mappings. */
@Module({ controllers: [EventMappingsHandlers, SendingEventMappingsHandlers] })
export class EventMappingsModule {}
