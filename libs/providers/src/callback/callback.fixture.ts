import type { CallbackProof, CallbackRequest } from './callback';

export const CALLBACK_ADDRESS = 'https://notify.example.com/providers/callback/vendor/prv_1/the-secret';

/** A request at `CALLBACK_ADDRESS`, unless `fields` name another one. */
export function callbackRequest(body: string | object = '', fields: Partial<Omit<CallbackRequest, 'body'>> = {}): CallbackRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { method: 'POST', url: CALLBACK_ADDRESS, headers: {}, ...fields, body: Buffer.from(text) };
}

/** What requests are verified with; it can get nothing, unless `fields` say so. */
export function callbackProof(settings: CallbackProof['settings'], fields: Partial<CallbackProof> = {}): CallbackProof {
  return { settings, secret: 'the-secret', nowMs: Date.now(), get: () => Promise.reject(new Error('not reachable')), ...fields };
}
