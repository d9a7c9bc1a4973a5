import { Module } from '@nestjs/common';
import { EventTopicsHandlers } from './event-topics.handlers';

/** What operators do with the topics of the history. */
@Module({ controllers: [EventTopicsHandlers] })
export class PublishModule {}
