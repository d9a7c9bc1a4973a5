import type { IncomingHttpHeaders } from 'node:http';
import { isTransientServiceError, ServiceError } from '@tidings/contracts/core/errors';
import { CALLBACK_PATH } from '@tidings/contracts/messaging/provider-callbacks';
import { providerEventReported } from '@tidings/contracts/messaging/provider-events';
import type { EventLog } from '@tidings/events/event-log';
import type { CallbackProof, CallbackRequest, VendorCallback } from '@tidings/providers/callback/callback';
import { CALLBACK_KINDS, callbackOf } from '@tidings/providers/callbacks';
import { AddressGuard } from '@tidings/providers/http/guard/address-guard';
import { GuardedGet } from '@tidings/providers/vendor/guarded-get';
import { type CALLBACK_OUTCOMES, METRICS } from '@tidings/runtime/metric-table';
import { metrics } from '@tidings/runtime/metrics';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answerEmpty, answerText } from '../http/answers';
import { answerFailure } from '../http/fallbacks';
import { traceOf } from '../http/observed-requests';
import { type CallbackAddress, type CallbackConfigurations, noSuchAddress } from './callback-configurations';
import { toReported } from './reported-events';

/** Bytes of a callback's body. */
const BODY_BYTES_MAX = 1_024 * 1_024;
const OPERATION = 'gateway.callbacks.receive';
const UNKNOWN = 'unknown';

const CALLBACKS = metrics.counter(METRICS.providerCallbacks);

interface CallbackRoutesOptions {
  configurations: CallbackConfigurations;
  events: EventLog;
  publicUrl?: string;
}

type Outcome = (typeof CALLBACK_OUTCOMES)[number];

/**
 * Routes what vendors call back. The secret of the address is the credential, and most vendors sign as well. The answer is 200 once the
 * events are in the log, also for events of unknown messages. Call after `routeOperations`, which makes bodies arrive as bytes.
 */
export function routeCallbacks(instance: FastifyInstance, options: CallbackRoutesOptions): void {
  for (const provider of CALLBACK_KINDS) metrics.announce(METRICS.providerCallbacks, { provider, outcome: 'accepted' });
  const get = new GuardedGet(new AddressGuard());
  instance.addHook('onClose', () => get.close());
  instance.route({
    method: ['GET', 'POST'],
    url: `${CALLBACK_PATH}/:provider/:configuration_id/:secret`,
    bodyLimit: BODY_BYTES_MAX,
    onRequest: (request, _reply, done) => {
      request.countedAs = OPERATION;
      done();
    },
    handler: (request, reply) => void receive(request, reply, { ...options, get: (url) => get.get(url) }),
  });
}

/** What a callback is handled with. */
type Surroundings = CallbackRoutesOptions & Pick<CallbackProof, 'get'>;

async function receive(request: FastifyRequest, reply: FastifyReply, surroundings: Surroundings) {
  const { provider } = request.params as CallbackAddress;
  try {
    const text = await handle(request, surroundings);
    count(provider, 'accepted');
    reply.raw.setHeader('x-content-type-options', 'nosniff');
    if (text === undefined) answerEmpty(reply, 200);
    else answerText(reply, 200, 'text/plain; charset=utf-8', text);
  } catch (error) {
    count(provider, outcomeOf(error));
    answerFailure(error as Error, request, reply);
  }
}

/** Resolves with the text of the answer, once the events are in the log. */
async function handle(request: FastifyRequest, { configurations, events, publicUrl, get }: Surroundings) {
  const { provider, configuration_id: configurationId, secret } = request.params as CallbackAddress;
  const callback = callbackOf(provider);
  if (!callback) throw noSuchAddress();
  const method = methodOf(request.method, callback);
  const { workspace_id: workspaceId, settings } = await configurations.find(
    { provider, configuration_id: configurationId, secret },
    request.id,
  );
  const nowMs = Date.now();
  const received: CallbackRequest = {
    method,
    url: `${publicUrl ?? `${request.protocol}://${request.host}`}${request.originalUrl}`,
    headers: firstOfEach(request.headers),
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
  };
  const proof = { settings, secret, nowMs, get };
  const refusal = await callback.verify(received, proof);
  if (refusal !== undefined) throw new ServiceError('unauthenticated', `The callback is refused: ${refusal}`);
  const text = await callback.answer?.(received, proof);
  const reported = callback.parse(received, nowMs).map((event) => toReported(event, { workspaceId, configurationId, provider }, nowMs));
  if (reported.length > 0) await events.append(providerEventReported, reported, { sender: workspaceId, trace: traceOf(request) });
  return text;
}

function methodOf(method: string, { methods }: VendorCallback) {
  const supported = methods.find((one) => one === method);
  if (!supported)
    throw new ServiceError('method_not_allowed', `The vendor calls this address by ${methods.join(' or ')}, not by ${method}`);
  return supported;
}

/** Headers as a vendor signs them. */
function firstOfEach(headers: IncomingHttpHeaders): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]));
}

/** @param provider of the path, which anyone may choose. */
function count(provider: string, outcome: Outcome) {
  CALLBACKS.inc({ provider: outcome !== 'unknown' && callbackOf(provider) ? provider : UNKNOWN, outcome });
}

function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof ServiceError)) return 'unavailable';
  if (error.code === 'not_found') return 'unknown';
  return isTransientServiceError(error) ? 'unavailable' : 'refused';
}
