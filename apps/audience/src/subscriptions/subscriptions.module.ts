import { Module } from '@nestjs/common';
import { ProfileListsHandlers } from './profile-lists.handlers';
import { SubscriptionsHandlers } from './subscriptions.handlers';

/** Subscriptions, by list and by user. */
@Module({ controllers: [SubscriptionsHandlers, ProfileListsHandlers] })
export class SubscriptionsModule {}
