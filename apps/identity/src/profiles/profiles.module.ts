import { Module } from '@nestjs/common';
import { ProfileStore } from './profile-store';
import { ProfilesHandlers } from './profiles.handlers';

/** Profiles of users. */
@Module({ controllers: [ProfilesHandlers], providers: [ProfileStore], exports: [ProfileStore] })
export class ProfilesModule {}
