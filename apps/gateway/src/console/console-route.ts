import type { AnyOperation } from '@tidings/contracts/core/request-parts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { announceRequests } from '../http/request-metrics';
import { acceptBody } from '../request/body';

/** Of a body with a key or a code. */
const BODY_BYTES_MAX = 4_096;

/** Routes an operation of the console without a credential. Its answers are in no cache. */
export function routeConsoleOperation(
  instance: FastifyInstance,
  { pattern, method, path, status }: AnyOperation,
  handler: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
) {
  announceRequests(pattern, status, true);
  instance.route({
    method: method!,
    url: path!,
    bodyLimit: BODY_BYTES_MAX,
    onRequest: async (request, reply) => {
      request.countedAs = pattern;
      reply.raw.setHeader('cache-control', 'no-store');
      acceptBody(request.raw.headers, method === 'POST');
    },
    handler,
  });
}
