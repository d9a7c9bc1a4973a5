import { Module } from '@nestjs/common';
import { InboundHandlers } from './inbound.handlers';

/** Events that clients track. */
@Module({ controllers: [InboundHandlers] })
export class InboundModule {}
