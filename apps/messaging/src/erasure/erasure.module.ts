import { Module } from '@nestjs/common';
import { AcceptModule } from '../accept/accept.module';
import { RecordModule } from '../record/record.module';
import { SuppressionsModule } from '../suppressions/suppressions.module';
import { ErasureHandlers } from './erasure.handlers';
import { ErasureTracesHandlers } from './erasure-traces.handlers';

/** Erasure of a user in messaging. */
@Module({ imports: [AcceptModule, RecordModule, SuppressionsModule], controllers: [ErasureHandlers, ErasureTracesHandlers] })
export class ErasureModule {}
