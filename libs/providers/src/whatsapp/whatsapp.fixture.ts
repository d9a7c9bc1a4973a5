import type { PeerAnswer } from '../vendor/peer.fixture';
import type { VendorMatrix } from '../vendor/matrix.fixture';
import { whatsappKind } from './whatsapp';

const direct = (text: string) => ({ kind: 'direct_message', directMessage: { text } }) as const;
const recipient = { channel: 'direct_message', phone_number: '+49 151 23456789' } as const;
const refused = (code: number, status = 400): PeerAnswer => ({
  status,
  body: { error: { code, message: 'Refused', type: 'OAuthException', fbtrace_id: 'x' } },
});

export const WHATSAPP: VendorMatrix = {
  kind: whatsappKind,
  settings: () => ({ access_token: 'the-token-of-the-shop', phone_number_id: '106540352242922' }),
  message: { rendered: direct('Shipped:\n  today'), recipient },
  rows: {
    accepted: {
      answer: { status: 200, body: { messaging_product: 'whatsapp', messages: [{ id: 'wamid.1' }] } },
      outcome: { kind: 'accepted', reference: { id: 'wamid.1' }, delivered: false },
    },
    badAddress: {
      answer: refused(131_026),
      outcome: { kind: 'failed', cause: 'recipient', reasonCode: 'HARD', error: 'WhatsApp answered 400: Refused (131026)' },
    },
    badCredentials: { answer: refused(190, 401), outcome: { kind: 'failed', cause: 'configuration' } },
    'a permission that is missing': { answer: refused(200, 403), outcome: { kind: 'failed', cause: 'configuration' } },
    'a number that is not registered': { answer: refused(133_010), outcome: { kind: 'failed', cause: 'configuration' } },
    tooLarge: { answer: refused(100), outcome: { kind: 'failed', cause: 'permanent' } },
    'a text outside the 24 hours': { answer: refused(131_047), outcome: { kind: 'failed', cause: 'permanent' } },
    'a template that does not exist': { answer: refused(132_001, 404), outcome: { kind: 'failed', cause: 'permanent' } },
    'the limit of the number': { answer: refused(130_429), outcome: { kind: 'retry', outage: true } },
    'the limit of the recipient': { answer: refused(131_056), outcome: { kind: 'retry' } },
    'a fault of the vendor': { answer: refused(131_000, 500), outcome: { kind: 'retry' } },
  },
  unfit: { rendered: direct('x'.repeat(4_097)), recipient, reason: 'WhatsApp accepts texts of 4096 characters, not 4097' },
  test: { operation: 'number', good: { status: 200, body: { id: '106540352242922' } }, wrong: refused(190, 401) },
};
