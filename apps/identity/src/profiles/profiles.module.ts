import { Module } from '@nestjs/common';
import { ProfilesHandlers } from './profiles.handlers';

/** Profiles of users. */
@Module({ controllers: [ProfilesHandlers] })
export class ProfilesModule {}
