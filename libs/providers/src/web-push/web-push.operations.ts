import type { VendorOperation } from '../vendor/operation';

/** The only call: a message to the endpoint of a subscription, encrypted for its browser. */
export const WEB_PUSH_OPERATIONS = {
  send: {
    method: 'POST',
    path: '/{+endpoint}',
    encoding: 'binary',
    failure: { type: 'object', properties: { message: { type: 'string' }, reason: { type: 'string' } } },
  },
} as const satisfies Readonly<Record<string, VendorOperation>>;
