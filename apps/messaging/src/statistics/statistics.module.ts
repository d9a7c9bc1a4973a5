import { Module } from '@nestjs/common';
import { MessageCounts } from './message-counts';
import { StatisticsHandlers } from './statistics.handlers';

/** Counts of messages per minute, and statistics of them for clients. */
@Module({ controllers: [StatisticsHandlers], providers: [MessageCounts], exports: [MessageCounts] })
export class StatisticsModule {}
