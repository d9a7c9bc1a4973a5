import { Module } from '@nestjs/common';
import { SendingTemplatesHandlers } from './sending-templates.handlers';

/** Templates as sends load them. */
@Module({ controllers: [SendingTemplatesHandlers] })
export class SendingModule {}
