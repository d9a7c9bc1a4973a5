import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { BOUNCE_BYTES_MAX } from '@tidings/contracts/messaging/bounces';
import { reasonOf } from '@tidings/persistence/errors';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { BounceAddresses } from './bounce-addresses';
import { BounceReports } from './bounce-reports';

/** Where bounces of mails are received. */
export interface BounceOptions {
  readonly addresses: BounceAddresses;
  /** 0: any free port. Undefined: another process listens. */
  readonly port?: number;
}
/** Injects the `BounceOptions`; undefined where mails have their sender as return path. */
export const BOUNCES = Symbol('Bounces');

/** Bytes of a mail: a report may end with the whole mail that it is about. What is beyond `BOUNCE_BYTES_MAX` is not read. */
const MAIL_BYTES_MAX = 64 * 1_024 * 1_024;
const CLIENTS_MAX = 50;
const CLOSE_MS_MAX = 1_000;

/** A mail server for the return paths of our mails alone: reads delivery reports, and drops any other mail. */
@Injectable()
export class BounceListener implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(BounceListener.name);
  private server: SMTPServer | undefined;

  constructor(
    @Inject(BOUNCES) private readonly options: BounceOptions | undefined,
    private readonly reports: BounceReports,
  ) {}

  /** Rejects when the port is in use. */
  async onApplicationBootstrap(): Promise<void> {
    const { addresses, port } = this.options ?? {};
    if (!addresses || port === undefined) return;
    const server = new SMTPServer({
      name: addresses.domain,
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      logger: false,
      size: MAIL_BYTES_MAX,
      maxClients: CLIENTS_MAX,
      closeTimeout: CLOSE_MS_MAX,
      onRcptTo: ({ address }, _session, done) =>
        done(addresses.messageIn(address) ? undefined : refusal(550, '5.1.1 There is no such address')),
      onData: (stream, session, done) => void this.receive(stream, session, addresses).then(() => done(), done),
    });
    // Errors of connections, which are closed already; that of the start rejects below.
    server.on('error', () => undefined);
    server.listen(port);
    await once(server.server, 'listening');
    this.server = server;
    this.logger.log(`Receives bounces at port ${this.port}`);
  }

  async beforeApplicationShutdown(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server) await new Promise<void>((resolve) => server.close(resolve));
  }

  /** The port it listens at. */
  get port(): number | undefined {
    return (this.server?.server.address() as AddressInfo | undefined)?.port;
  }

  private async receive(stream: SMTPServerDataStream, { envelope }: SMTPServerSession, addresses: BounceAddresses) {
    const chunks: Buffer[] = [];
    let left = BOUNCE_BYTES_MAX;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (left > 0) chunks.push(chunk.subarray(0, left));
      left -= chunk.length;
    }
    if (stream.sizeExceeded) throw refusal(552, `5.3.4 A report has at most ${MAIL_BYTES_MAX} bytes`);
    const messageIds = new Set(envelope.rcptTo.flatMap(({ address }) => addresses.messageIn(address) ?? []));
    try {
      await this.reports.receive(Buffer.concat(chunks), messageIds);
    } catch (error) {
      this.logger.warn(`A bounce was not stored; its sender sends it again: ${reasonOf(error)}`);
      throw refusal(451, '4.3.0 Try again later');
    }
  }
}

/** The error that `smtp-server` answers with. */
function refusal(responseCode: number, message: string) {
  return Object.assign(new Error(message), { responseCode });
}
