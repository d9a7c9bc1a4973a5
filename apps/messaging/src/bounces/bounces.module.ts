import { Module } from '@nestjs/common';
import { BounceListener } from './bounce-listener';
import { BounceReports } from './bounce-reports';
import { BouncesHandlers } from './bounces.handlers';

/** Bounces of mails that the operator's mail server accepted. */
@Module({ controllers: [BouncesHandlers], providers: [BounceListener, BounceReports] })
export class BouncesModule {}
