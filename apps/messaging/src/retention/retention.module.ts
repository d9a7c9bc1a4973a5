import { Module } from '@nestjs/common';
import { Retention } from './retention';

/** Removal of what has been stored long enough. */
@Module({ providers: [Retention] })
export class RetentionModule {}
