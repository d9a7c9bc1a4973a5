import { Module } from '@nestjs/common';
import { SessionsHandlers } from './sessions.handlers';

/** Sessions of the console. */
@Module({ controllers: [SessionsHandlers] })
export class SessionsModule {}
