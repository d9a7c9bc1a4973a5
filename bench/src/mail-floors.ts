import type { Bench } from './bench';
import type { MailResult } from './floors/mail-run';
import type { NodemailerCommands } from './floors/nodemailer-pool';
import type { SmtpAdapterCommands } from './floors/smtp-adapter';
import type { SmtpClientCommands } from './floors/smtp-client';
import type { SinkCommands } from './smtp-sink';
import { type Percentiles, percentilesOf } from './statistics';
import type { Worker } from './worker';

/** Number of connections in the published measurements of nodemailer. */
export const MAIL_CONNECTIONS = 20;
/** A slow floor is measured with fewer mails. */
const LIMIT_MS = 5_000;
const ARRIVE_MS_MAX = 10_000;

export const MAIL_FLOORS = ['bare SMTP client', 'nodemailer pool, TCP_NODELAY', 'nodemailer pool as it comes'] as const;
export type MailFloor = (typeof MAIL_FLOORS)[number];
/** The product's adapter, without the rest of the product. */
export const MAIL_ADAPTER = 'adapter';

export interface MailFloorRound {
  perSecond: number;
  /** Of the sender's process, per mail, in ms. */
  cpuMs: number;
  /** ms from the start of a mail until it is complete at the sink. */
  age: Percentiles;
}

/** Mail senders without the product, into a sink of the same kind. */
export class MailFloors {
  private adapter?: Worker<SmtpAdapterCommands>;

  private constructor(
    private readonly bench: Bench,
    private readonly sink: Worker<SinkCommands>,
    private readonly port: number,
    private readonly nodemailer: Worker<NodemailerCommands>,
    private readonly client: Worker<SmtpClientCommands>,
  ) {}

  static async start(bench: Bench): Promise<MailFloors> {
    const { sink, smtpPort } = await bench.sink();
    return new MailFloors(bench, sink, smtpPort, bench.worker('floors/nodemailer-pool'), bench.worker('floors/smtp-client'));
  }

  async round(floor: MailFloor | typeof MAIL_ADAPTER, mails: number): Promise<MailFloorRound> {
    const run = this.bench.run();
    await this.sink.call('start', { run, mails });
    const sending = { port: this.port, run, mails, connections: MAIL_CONNECTIONS, limitMs: LIMIT_MS };
    const { sent, startedAt, elapsedMs, cpuMs } = await this.send(floor, sending);
    await this.sink.call('wait', { mails: sent, limitMs: ARRIVE_MS_MAX });
    const { receivedAt, received } = await this.sink.call('result', null);
    if (received < sent) throw new Error(`${floor}: ${sent - received} of ${sent} mails did not arrive`);
    const ages = [...receivedAt].flatMap((at, number) => (at ? [at - startedAt[number]!] : []));
    return { perSecond: (sent * 1000) / elapsedMs, cpuMs: cpuMs / sent, age: percentilesOf(ages) };
  }

  private send(
    floor: MailFloor | typeof MAIL_ADAPTER,
    run: { port: number; run: number; mails: number; connections: number; limitMs: number },
  ): Promise<MailResult> {
    switch (floor) {
      case 'bare SMTP client':
        return this.client.call('send', run);
      case 'nodemailer pool, TCP_NODELAY':
        return this.nodemailer.call('send', { ...run, noDelay: true });
      case 'nodemailer pool as it comes':
        return this.nodemailer.call('send', { ...run, noDelay: false });
      case MAIL_ADAPTER:
        return (this.adapter ??= this.bench.worker('floors/smtp-adapter')).call('send', run);
    }
  }
}
