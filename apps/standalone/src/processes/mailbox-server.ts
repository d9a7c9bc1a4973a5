import type { AddressInfo } from 'node:net';
import { ServiceError, wireError } from '@tidings/contracts/core/errors';
import { freePort } from '@tidings/runtime/free-port';
import Fastify from 'fastify';
import { Mailbox } from '../mailbox/mailbox';
import { mountMailbox } from '../mailbox/mount-mailbox';

const HOST = '127.0.0.1';

export interface MailboxServer {
  /** The SMTP URL for mails. */
  readonly smtpUrl: string;
  /** The URL of the mailbox page. */
  readonly url: string;
  close(): Promise<void>;
}

/** The development mailbox, its mails in `directory`, with an HTTP server of its own; on `preferredPort` if that is free. */
export async function startMailboxServer(preferredPort: number, directory: string): Promise<MailboxServer> {
  const mailbox = await Mailbox.start({ directory });
  const server = Fastify({ forceCloseConnections: true });
  server.setErrorHandler((error, _request, reply) => {
    const code = error instanceof ServiceError ? error.code : 'internal';
    const { status, type } = wireError(code);
    return reply.status(status).send({ message: error instanceof ServiceError ? error.message : 'The mail cannot be shown', type });
  });
  mountMailbox(server, mailbox);
  try {
    await server.listen({ host: HOST, port: await freePort(preferredPort) });
  } catch (error) {
    await mailbox.close();
    throw error;
  }
  const { port } = server.server.address() as AddressInfo;
  return {
    smtpUrl: mailbox.url,
    url: `http://${HOST}:${port}/dev/mailbox`,
    close: async () => {
      await server.close();
      await mailbox.close();
    },
  };
}
