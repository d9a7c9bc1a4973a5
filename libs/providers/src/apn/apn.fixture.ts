import { generateKeyPairSync } from 'node:crypto';
import { CapturingHttp2 } from '@tidings/testing/capturing-http2';
import type { VendorMatrix } from '../vendor/matrix.fixture';
import type { PeerServer } from '../vendor/peer.fixture';
import { apnKind } from './apn';

const { privateKey: key } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
export const SETTINGS = { key, key_id: 'ABC123DEFG', team_id: 'DEF123GHIJ', topic: 'com.example.app' };
export const PHONE = { channel: 'push', tokens: [{ token: 'phone', provider_key: 'apn' }] } as const;
export const REVOKED_AT = Date.parse('2026-03-01T12:00:00Z');

export const pushOf = (data: Record<string, unknown> = {}) => ({ kind: 'push', push: { title: 'Order', body: 'Shipped', data } }) as const;
const refused = (outcome: 'revoked' | 'suspicious', code: string, more: object = {}): object => ({
  kind: 'failed',
  cause: 'token',
  refusedTokens: [{ token: 'phone', outcome, code, ...more }],
});
const answer = (status: number, reason: string, more: object = {}) => ({ status, body: { reason, ...more } });

export const APN: VendorMatrix = {
  kind: apnKind,
  settings: () => SETTINGS,
  message: { rendered: pushOf(), recipient: PHONE },
  rows: {
    accepted: {
      answer: { status: 200, headers: { 'apns-id': 'id-1' } },
      outcome: { kind: 'accepted', reference: { id: 'id-1' }, delivered: false },
    },
    deadToken: {
      answer: answer(410, 'Unregistered', { timestamp: REVOKED_AT }),
      outcome: refused('revoked', 'Unregistered', { at: REVOKED_AT }),
    },
    'an expired token': {
      answer: answer(410, 'ExpiredToken', { timestamp: REVOKED_AT }),
      outcome: refused('revoked', 'ExpiredToken', { at: REVOKED_AT }),
    },
    'a token that is none, or one of the other environment': {
      answer: answer(400, 'BadDeviceToken'),
      outcome: refused('suspicious', 'BadDeviceToken'),
    },
    'a token of another application': {
      answer: answer(400, 'DeviceTokenNotForTopic'),
      outcome: refused('suspicious', 'DeviceTokenNotForTopic'),
    },
    badCredentials: { answer: answer(403, 'InvalidProviderToken'), outcome: { kind: 'failed', cause: 'configuration' } },
    'a key of the other environment': {
      answer: answer(403, 'BadEnvironmentKeyIdInToken'),
      outcome: { kind: 'failed', cause: 'configuration' },
    },
    tooLarge: { answer: answer(413, 'PayloadTooLarge'), outcome: { kind: 'failed', cause: 'permanent' } },
    'a topic that is none': { answer: answer(400, 'BadTopic'), outcome: { kind: 'failed', cause: 'permanent' } },
    'a wrong path': { answer: answer(404, 'BadPath'), outcome: { kind: 'failed', cause: 'permanent' } },
    idle: { answer: answer(400, 'IdleTimeout'), outcome: { kind: 'retry' } },
    'too many messages to the device': {
      answer: answer(429, 'TooManyRequests'),
      outcome: { kind: 'retry', error: expect.stringContaining('answered 429: TooManyRequests') as string },
    },
    'too many new tokens': { answer: answer(429, 'TooManyProviderTokenUpdates'), outcome: { kind: 'retry', outage: true } },
    internal: { answer: answer(500, 'InternalServerError'), outcome: { kind: 'retry', outage: true } },
    'shutting down': { answer: answer(503, 'Shutdown'), outcome: { kind: 'retry', outage: true } },
  },
  throttled: { reason: 'TooManyRequests' },
  failing: { reason: 'ServiceUnavailable' },
  unfit: { rendered: pushOf({ text: 'x'.repeat(4_096) }), recipient: PHONE, reason: 'which accepts 4096' },
  test: { operation: 'send', good: answer(400, 'BadDeviceToken'), wrong: answer(403, 'InvalidProviderToken') },
  start: async () => (await CapturingHttp2.start()) as unknown as PeerServer,
};
