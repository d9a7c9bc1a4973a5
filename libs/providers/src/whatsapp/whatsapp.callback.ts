import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import { formOf, instantOf, objectBody, objectIn } from '../callback/bodies';
import type { ProviderEvent, VendorCallback } from '../callback/callback';
import { hmacOf, isEqual } from '../callback/signatures';
import { objectsIn } from '../vendor/objects-in';

const NO_WHATSAPP = 131_026;

/** The webhook of an application: statuses of messages. A GET checks the address when it is set. */
export const whatsappCallback: VendorCallback = {
  methods: ['GET', 'POST'],
  setup: `_developers.facebook.com_, _My Apps_, the application, _WhatsApp_, _Configuration_, _Webhook_: give it the address,
and as _verify token_ the last part of the address. Subscribe to the field \`messages\`. Copy the _App secret_ (_App
settings_, _Basic_) to \`app_secret\`. An application has one webhook: its messages are sent by one configuration.`,
  settings: ['app_secret'],
  byReference: true,
  reports: ['DELIVERED', 'BOUNCED', 'FAILED', 'OPENED'],
  verify(request, { settings: { app_secret: key }, secret }) {
    const { method, headers, body } = request;
    if (method === 'GET') return isEqual(formOf(request).get('hub.verify_token') ?? '', secret) ? undefined : 'Its verify token is wrong';
    if (typeof key !== 'string') return 'settings.app_secret is not set';
    const given = headers['x-hub-signature-256'];
    if (given === undefined) return 'It is not signed';
    return isEqual(`sha256=${hmacOf('sha256', key, [body], 'hex')}`, given) ? undefined : 'Its signature is wrong';
  },
  parse(request, nowMs) {
    if (request.method === 'GET') return [];
    const changes = objectsIn(objectBody(request).entry).flatMap(({ changes: inEntry }) => objectsIn(inEntry));
    return changes.flatMap(({ value }) => objectsIn(objectIn(value).statuses)).flatMap((status) => eventsOf(status, nowMs));
  },
  answer(request) {
    return request.method === 'GET' ? (formOf(request).get('hub.challenge') ?? '') : undefined;
  },
};

function eventsOf({ id, status, timestamp, recipient_id, errors }: JsonObject, nowMs: number): ProviderEvent[] {
  const [error = {}] = objectsIn(errors);
  const outcome = outcomeOf(status, error.code);
  if (!outcome || typeof id !== 'string') return [];
  const details = objectIn(error.error_data).details ?? error.title;
  const named = { reference: id, address: recipient_id };
  return [{ eventId: `${id} ${String(status)}`, atMs: instantOf(timestamp, nowMs), ...named, details, code: error.code, ...outcome }];
}

function outcomeOf(status: unknown, code: unknown): Pick<ProviderEvent, 'kind' | 'reasonCode'> | undefined {
  switch (status) {
    case 'delivered':
      return { kind: 'DELIVERED' };
    case 'read':
      return { kind: 'OPENED' };
    case 'failed':
      return code === NO_WHATSAPP ? { kind: 'BOUNCED', reasonCode: 'HARD' } : { kind: 'FAILED' };
    default:
      return undefined;
  }
}
