import { Inject } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import { notFound } from '@tidings/contracts/core/refusals';
import { bounces, type ReceiveBounce } from '@tidings/contracts/messaging/bounces';
import { Handles } from '@tidings/rpc/handles';
import { BOUNCES, type BounceOptions } from './bounce-listener';
import { BounceReports } from './bounce-reports';

/** Receives mails to return paths that another mail server passes on. */
@Handles(bounces)
export class BouncesHandlers {
  constructor(
    @Inject(BOUNCES) private readonly options: BounceOptions | undefined,
    private readonly reports: BounceReports,
  ) {}

  async receive(_context: CallContext, { to, mail }: ReceiveBounce) {
    const messageId = this.options?.addresses.messageIn(to);
    if (messageId === undefined) throw notFound('The address is no return path of this installation');
    return { reported: await this.reports.receive(Buffer.from(mail, 'base64'), new Set([messageId])) };
  }
}
