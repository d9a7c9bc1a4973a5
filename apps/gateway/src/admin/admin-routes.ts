import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Actor } from '@tidings/contracts/core/audit';
import { systemContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { openApiDocument } from '@tidings/contracts/core/openapi';
import type { EventLog } from '@tidings/events/event-log';
import type { OperationClient } from '@tidings/rpc/operation-client';
import { isUUID } from 'class-validator';
import type { KeyVerifier } from '../auth/key-verifier';
import { sessionOf } from '../auth/session-credential';
import type { KeyOrigins } from '../http/cors';
import { answerEmpty, answerJson } from '../http/answers';
import { refusing } from '../http/fallbacks';
import { traceOf } from '../http/observed-requests';
import { lazy } from '../lazy';
import { warn } from '../http/warnings';
import { assembler, type HttpParts } from '../request/assemble';
import { acceptBody } from '../request/body';
import type { AdminAuthenticator } from './admin-authenticator';
import type { Readiness } from '@tidings/runtime/status-handlers';
import { AdminDeadLetters } from './admin-dead-letters';
import { AdminStatus } from './admin-status';
import { type AdminOperation, adminOperations, type AdminResources, WORKSPACE_PARAMETER } from './admin-operations';

declare module 'fastify' {
  interface FastifyRequest {
    /** The operator's name; set once the request is authenticated. */
    operatorName: string | null;
  }
}

interface AdminRoutesOptions {
  authenticator: AdminAuthenticator;
  /** Verifies the sessions of operators. */
  keys: KeyVerifier;
  client: OperationClient;
  events: EventLog;
  keyOrigins: KeyOrigins;
  version: string;
  /** Readiness of the process. Default: it is always ready. */
  health?: Readiness;
}

/**
 * Routes the operators' interface: workspaces and keys, with a credential of its own, described by `/admin/openapi.json`. It is not
 * part of the clients' interface and allows no cross-origin page. Call after `routeOperations`, which makes bodies arrive as bytes.
 */
export function routeAdmin(instance: FastifyInstance, options: AdminRoutesOptions) {
  const { authenticator, keys, client, events, keyOrigins, version, health } = options;
  if (!authenticator.isServed) {
    const error = new ServiceError(
      'not_served',
      "The operators' interface is off: start the gateway with TIDINGS_ADMIN_KEY, 32 to 200 characters such as `openssl rand -hex 32` makes",
    );
    for (const url of ['/admin', '/admin/*'])
      instance.route({ method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], url, ...refusing(error) });
    return;
  }
  instance.decorateRequest('operatorName', null);
  const admit = async (request: FastifyRequest) => {
    const { originalUrl, headers } = request;
    // A proxy that blocks `/admin` compares the literal path, so other spellings of it are refused here.
    if (!originalUrl.startsWith('/admin/')) throw new ServiceError('not_found', 'Not Found: nothing is served here');
    const found = sessionOf(request, keys);
    if (found) return authenticator.admitSession(await found.verified, found.sessionId);
    const operator = await authenticator.admit(headers.authorization);
    keyOrigins.assertAllowed(headers);
    return operator;
  };
  const resources = { client, deadLetters: new AdminDeadLetters(client, events), status: new AdminStatus(client, version, health) };
  for (const operation of adminOperations) routeAdminOperation(instance, operation, admit, resources);
  const text = lazy(() =>
    JSON.stringify(
      openApiDocument(
        adminOperations.map(({ outward }) => outward),
        [],
        { title: 'Tidings for operators', version },
        { bearer: { type: 'http', scheme: 'bearer', description: "The gateway's TIDINGS_ADMIN_KEY, or a key of its TIDINGS_ADMIN_KEYS" } },
      ),
    ),
  );
  instance.route({
    method: 'GET',
    url: '/admin/openapi.json',
    onRequest: async (request) => void (await admit(request)),
    handler: (_request, reply) => answerJson(reply, 200, text()),
  });
}

function routeAdminOperation(
  instance: FastifyInstance,
  { outward, operation, call }: AdminOperation,
  admit: (request: FastifyRequest) => Promise<string>,
  resources: AdminResources,
) {
  const { method, path, status } = outward;
  const assemble = assembler(outward);
  const acceptsBody = method !== 'GET' && method !== 'DELETE';
  instance.route({
    method: method!,
    url: path!,
    // Before the body: unauthenticated clients cannot make the gateway read one.
    onRequest: async (request) => {
      request.countedAs = outward.pattern;
      request.operatorName = await admit(request);
      acceptBody(request.raw.headers, acceptsBody);
    },
    handler: async (request, reply) => {
      const actor: Actor = { type: 'operator', id: request.operatorName! };
      const context = { ...systemContext(request.id), ...workspaceOf(request), ...traceOf(request), actor };
      const { request: parsed, warnings } = assemble(request as HttpParts);
      warn(reply, ...warnings);
      const answer = call
        ? JSON.stringify(await call(resources, context, parsed as never))
        : await resources.client.callForJson(operation, context, parsed);
      if (answer === undefined || status === 204) answerEmpty(reply, status);
      else answerJson(reply, status, answer);
    },
  });
}

/** The workspace of the path; without one, the system's own. */
function workspaceOf({ params }: FastifyRequest) {
  const id = (params as Record<string, string | undefined>)[WORKSPACE_PARAMETER];
  if (id === undefined) return {};
  if (!isUUID(id)) throw new ServiceError('not_found', `Workspace ${id.slice(0, 100)} does not exist`);
  return { workspaceId: id };
}
