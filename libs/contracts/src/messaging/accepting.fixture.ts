import { ServiceError } from '../core/errors';
import { validate } from '../core/validator';
import { acceptLegacyListSend, acceptLegacySend } from './accept-legacy';
import { type Acceptance, acceptMessage } from './accept-message';
import type { MessageRequested } from './events';
import { LegacyListSend } from './legacy-send';
import { Send } from './send';

export const acceptance: Acceptance = {
  workspaceId: '6c5c0b4e-2f0f-4f3b-9d4b-1d9f8a8f3c11',
  mode: 'production',
  id: '1-5e2b2615-05efbb3acab9172f88dd3f6f',
  requestedAt: Date.UTC(2026, 0, 5, 12),
};

/** The request of a send's body, validated like in the gateway. */
export function acceptBody(body: unknown): MessageRequested {
  const send = validate(Send, body);
  return send.message ? acceptMessage(send.message, acceptance) : acceptLegacySend(send, acceptance);
}

export function acceptListBody(body: unknown): MessageRequested {
  return acceptLegacyListSend(validate(LegacyListSend, body), acceptance);
}

/** The request of a send of a template to `to`, with further fields of the message. */
export const acceptTo = (to: unknown, message: object = {}): MessageRequested =>
  acceptBody({ message: { template: 'welcome', ...message, to } });

/** The message of an `invalid_request`; throws any other error, and if `accept` succeeds. */
export function refusalOf(accept: () => unknown): string {
  try {
    accept();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_request') return error.message;
    throw error;
  }
  throw new Error('It was accepted');
}
