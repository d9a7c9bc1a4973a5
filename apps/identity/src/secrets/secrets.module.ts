import { Module } from '@nestjs/common';
import { KeysModule } from '../keys/keys.module';
import { ProfilesModule } from '../profiles/profiles.module';
import { SecretsHandlers } from './secrets.handlers';

/** Sealing of stored secrets again, with another secret key. */
@Module({ imports: [KeysModule, ProfilesModule], controllers: [SecretsHandlers] })
export class SecretsModule {}
