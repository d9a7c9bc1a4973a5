import { randomUUID } from 'node:crypto';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import fastify, { type FastifyInstance } from 'fastify';
import { BODY_BYTES_MAX } from '../gateway.options';
import { answerClientError, answerUnknownExpectation } from './client-errors';
import { answerFailure, installFallbacks } from './fallbacks';
import { countRequests } from './request-metrics';
import { observeRequests } from './observed-requests';
import { watchMethods } from './route-methods';

/**
 * Nest's Fastify adapter over an instance with the interface's error bodies. Operations are routed in `operations`, a part of the
 * instance created before Nest adds its hooks, so their requests run no hooks of Nest. Nest's middleware, filters and 404 page
 * are disabled; the gateway does not use them.
 */
export class GatewayAdapter extends FastifyAdapter {
  private constructor(
    readonly root: FastifyInstance,
    /** The part of the instance for operations. */
    readonly operations: FastifyInstance,
  ) {
    super(root as never);
  }

  /** @param logsRequests whether each request is a line of the log. */
  static async create(logsRequests = false) {
    const instance = fastify({
      logger: false,
      genReqId: () => randomUUID(),
      bodyLimit: BODY_BYTES_MAX,
      // Longer than the 60 s of common load balancers, so that the gateway never closes a connection that they are about to use.
      keepAliveTimeout: 72_000,
      // A slow client must not occupy a connection forever.
      requestTimeout: 120_000,
      http: { headersTimeout: 30_000, requireHostHeader: false },
      // Requests on open connections are still answered during a stop; the answer closes the connection.
      return503OnClosing: false,
      // Longer than any request line that Node accepts (16 KB): the routes' own rules bound the lengths.
      routerOptions: { maxParamLength: 16_384 },
      rewriteUrl: ({ url = '/' }) => (url.startsWith('//') ? url.replace(/^\/+/, '/') : url),
      clientErrorHandler: answerClientError,
      frameworkErrors: (error, request, reply) => answerFailure(error, request as never, reply as never),
    });
    instance.decorate('draining', { isStarted: false });
    countRequests(instance);
    answerUnknownExpectation(instance.server);
    installFallbacks(instance, watchMethods(instance));

    observeRequests(instance, logsRequests);
    let operations: FastifyInstance | undefined;
    await instance.register(async (part) => {
      operations = part;
    });
    return new GatewayAdapter(instance, operations!);
  }

  /** Nest would load its middleware engine here. */
  override async init() {}

  override setErrorHandler(): never {
    return undefined as never;
  }

  override setNotFoundHandler(): never {
    return undefined as never;
  }
}
