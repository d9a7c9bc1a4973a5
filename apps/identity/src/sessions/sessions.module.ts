import { Module } from '@nestjs/common';
import { KeysModule } from '../keys/keys.module';
import { SessionsHandlers } from './sessions.handlers';

/** Sessions of the console. */
@Module({ imports: [KeysModule], controllers: [SessionsHandlers] })
export class SessionsModule {}
