import { Module } from '@nestjs/common';
import { SecretsHandlers } from './secrets.handlers';

/** Sealing of stored secrets again, with another secret key. */
@Module({ controllers: [SecretsHandlers] })
export class SecretsModule {}
