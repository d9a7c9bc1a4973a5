import { Module } from '@nestjs/common';
import { AcceptModule } from '../accept/accept.module';
import { ErasureHandlers } from './erasure.handlers';

/** Erasure of a user in messaging. */
@Module({ imports: [AcceptModule], controllers: [ErasureHandlers] })
export class ErasureModule {}
