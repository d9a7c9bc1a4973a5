import { Module } from '@nestjs/common';
import { MessageCounts } from './message-counts';
import { ProviderCounts } from './provider-counts';
import { StatisticsHandlers } from './statistics.handlers';

/** Counts of messages and of provider calls per minute, and statistics of messages for clients. */
@Module({ controllers: [StatisticsHandlers], providers: [MessageCounts, ProviderCounts], exports: [MessageCounts, ProviderCounts] })
export class StatisticsModule {}
