import { Module } from '@nestjs/common';
import { ProfileStore } from './profile-store';
import { ProfilesHandlers } from './profiles.handlers';
import { UserSearchHandlers } from './user-search.handlers';

/** Profiles of users. */
@Module({ controllers: [ProfilesHandlers, UserSearchHandlers], providers: [ProfileStore], exports: [ProfileStore] })
export class ProfilesModule {}
