import { Module } from '@nestjs/common';
import { ErasureHandlers } from './erasure.handlers';

/** Erasure of a user in audience. */
@Module({ controllers: [ErasureHandlers] })
export class ErasureModule {}
