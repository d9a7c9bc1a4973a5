import { Module } from '@nestjs/common';
import { RecipientsHandlers } from './recipients.handlers';

/** What a send needs to know about its recipients. */
@Module({ controllers: [RecipientsHandlers] })
export class RecipientsModule {}
