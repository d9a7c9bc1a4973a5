import { createDecipheriv, createECDH, hkdfSync } from 'node:crypto';
import type { VendorMatrix } from '../vendor/matrix.fixture';
import { webPushKind } from './web-push';

/** Keys of a browser or of a site. */
export interface Keys {
  readonly publicKey: Buffer;
  readonly privateKey: Buffer;
}

export function makeKeys(): Keys {
  const ecdh = createECDH('prime256v1');
  return { publicKey: ecdh.generateKeys(), privateKey: ecdh.getPrivateKey() };
}

const bytes = (key: Uint8Array, salt: Uint8Array, info: (string | Uint8Array)[], length: number) =>
  Buffer.from(hkdfSync('sha256', key, salt, Buffer.concat(info.map((one) => Buffer.from(one as string))), length));

/** What a browser reads of a message: the steps of RFC 8291, section 3.4, from the receiver's side. */
export function decrypt(message: Buffer, { publicKey, privateKey }: Keys, auth: Uint8Array): string {
  const [salt, keyLength] = [message.subarray(0, 16), message[20]!];
  const senderKey = message.subarray(21, 21 + keyLength);
  const ciphertext = message.subarray(21 + keyLength);
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(privateKey);
  const secret = bytes(ecdh.computeSecret(senderKey), auth, ['WebPush: info\0', publicKey, senderKey], 32);
  const [key, nonce] = [bytes(secret, salt, ['Content-Encoding: aes128gcm\0'], 16), bytes(secret, salt, ['Content-Encoding: nonce\0'], 12)];
  const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(ciphertext.subarray(-16));
  const padded = Buffer.concat([decipher.update(ciphertext.subarray(0, -16)), decipher.final()]);
  return padded.subarray(0, padded.lastIndexOf(2)).toString();
}

export const SITE = makeKeys();
export const BROWSER = { keys: makeKeys(), auth: Buffer.from('an auth secret !') };
export const ENDPOINT = 'https://fcm.googleapis.com/fcm/send/dGhlLWlk:APA91b?v=1';

/** The token of a subscription. */
export const tokenAt = (endpoint: string, more: object = {}): string =>
  JSON.stringify({
    endpoint,
    expirationTime: null,
    keys: { p256dh: BROWSER.keys.publicKey.toString('base64url'), auth: BROWSER.auth.toString('base64url') },
    ...more,
  });
export const to = (token: string) => ({ channel: 'push', tokens: [{ token, provider_key: 'web-push' }] }) as const;

const pushOf = (data: Record<string, unknown>) => ({ kind: 'push', push: { title: 'Order', body: 'Shipped', data } }) as const;
const token = tokenAt(ENDPOINT);
const refused = (outcome: 'revoked' | 'suspicious', code: string) => ({
  kind: 'failed',
  cause: 'token',
  refusedTokens: [{ token, outcome, code }],
});

export const WEB_PUSH: VendorMatrix = {
  kind: webPushKind,
  settings: () => ({
    subject: 'mailto:push@example.com',
    public_key: SITE.publicKey.toString('base64url'),
    private_key: SITE.privateKey.toString('base64url'),
  }),
  message: { rendered: pushOf({ order: 'A-17' }), recipient: to(token) },
  rows: {
    accepted: {
      answer: { status: 201, headers: { location: 'https://fcm.googleapis.com/m/1' } },
      outcome: { kind: 'accepted', reference: { id: 'https://fcm.googleapis.com/m/1' }, delivered: false },
    },
    deadToken: { answer: { status: 410 }, outcome: refused('revoked', '410') },
    'an endpoint that is unknown': { answer: { status: 404 }, outcome: refused('revoked', '404') },
    'a subscription of another key': {
      answer: { status: 403, body: 'the VAPID credentials in the authorization header do not correspond to the credentials used' },
      outcome: refused('suspicious', 'ForeignKey'),
    },
    badCredentials: {
      answer: { status: 403, body: { reason: 'BadJwtToken' } },
      outcome: { kind: 'failed', cause: 'configuration', error: 'Web Push answered 403: BadJwtToken' },
    },
    'a token of VAPID that is refused': {
      answer: { status: 401, body: { code: 401, message: 'Bad' } },
      outcome: { kind: 'failed', cause: 'configuration' },
    },
    tooLarge: { answer: { status: 413 }, outcome: { kind: 'failed', cause: 'permanent' } },
  },
  unfit: {
    rendered: pushOf({ text: 'x'.repeat(4_000) }),
    recipient: to(token),
    reason: 'Web Push accepts 3993 bytes of texts and data, the message has 4053',
  },
  test: 'Web Push cannot be tested without the subscription of a browser',
};
