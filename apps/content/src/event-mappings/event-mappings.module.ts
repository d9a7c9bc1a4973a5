import { Module } from '@nestjs/common';
import { EventMappingsHandlers } from './event-mappings.handlers';

/** Event mappings. */
@Module({ controllers: [EventMappingsHandlers] })
export class EventMappingsModule {}
