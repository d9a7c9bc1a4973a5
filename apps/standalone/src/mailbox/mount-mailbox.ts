import { ServiceError } from '@tidings/contracts/core/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Mailbox } from './mailbox';
import { showMailbox } from './mailbox-page';

/** Loopback addresses and host names. A page of another site cannot send such a `Host` header. */
const LOOPBACK_ADDRESS = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const LOOPBACK_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i;

export const MAILBOX_PATH = '/dev/mailbox';

/** Serves the mailbox at `/dev/mailbox` and `/dev/mailbox/:id`, to this machine only: it needs no key and shows every mail. */
export function mountMailbox(instance: FastifyInstance, mailbox: Mailbox): void {
  const answer = async (request: FastifyRequest<{ Params: { id?: string } }>, reply: FastifyReply): Promise<FastifyReply> => {
    const isLocal = LOOPBACK_ADDRESS.test(request.socket.remoteAddress ?? '') && LOOPBACK_HOST.test(request.headers.host ?? '');
    if (!isLocal) throw new ServiceError('not_found', 'Not Found');
    const { headers, body } = await showMailbox(mailbox, { id: request.params.id, accept: request.headers.accept });
    return reply.headers(headers).send(body);
  };
  instance.get(MAILBOX_PATH, answer);
  instance.get(`${MAILBOX_PATH}/:id`, answer);
}
