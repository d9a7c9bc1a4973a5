import { CapturingHttp } from '@tidings/testing/capturing-http';
import { createVerifier } from 'fast-jwt';
import { attempt, cleanUps, LOOPBACK } from '../http/receiver.fixture';
import { describeVendor, openVendor } from '../vendor/matrix.fixture';
import { encrypt } from './encrypt';
import { isAtService, parseSubscription } from './subscription';
import { VapidTokens } from './vapid';
import { webPushKind } from './web-push';
import { BROWSER, decrypt, ENDPOINT, makeKeys, SITE, to, tokenAt, WEB_PUSH } from './web-push.fixture';

describeVendor(WEB_PUSH);

const { rendered } = WEB_PUSH.message;
const settings = WEB_PUSH.settings(undefined as never);

/** A provider, and the bodies that its peer gets. */
async function openWithBodies() {
  let server!: CapturingHttp;
  const opened = await openVendor({ ...WEB_PUSH, start: async () => (server = await CapturingHttp.start()) });
  return { ...opened, bodies: server.bodies };
}

it('sends what only the browser can read to its endpoint, with a token for the service', async () => {
  const { peer, bodies, send } = await openWithBodies();

  await send(undefined, { override: { body: { tag: 'orders' }, config: { urgency: 'high' } } });

  const { url, headers } = peer.first('send');
  expect(url).toBe('/fcm/send/dGhlLWlk:APA91b?v=1');
  expect(headers).toMatchObject({
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    ttl: '2419200',
    urgency: 'high',
    topic: expect.stringMatching(/^[\w-]{32}$/) as string,
  });
  expect(JSON.parse(decrypt(bodies[0]!, BROWSER.keys, BROWSER.auth))).toEqual({
    title: 'Order',
    body: 'Shipped',
    data: { order: 'A-17' },
    tag: 'orders',
  });
  const [, jwt, key] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(headers.authorization!)!;
  const { aud, sub, exp } = verify(jwt!) as { aud: string; sub: string; exp: number };
  expect([key, aud, sub]).toEqual([settings.public_key, 'https://fcm.googleapis.com', 'mailto:push@example.com']);
  expect(exp * 1_000 - Date.now()).toBeLessThan(86_400_000);
});

/** Verifies by the public key of the site. */
function verify(jwt: string): unknown {
  const der = Buffer.concat([Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex'), SITE.publicKey]);
  const pem = `-----BEGIN PUBLIC KEY-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END PUBLIC KEY-----\n`;
  return createVerifier({ key: pem, algorithms: ['ES256'] })(jwt);
}

it('encrypts for several browsers, with other bytes each time', () => {
  const [first, second] = [makeKeys(), makeKeys()];
  const messages = [first, second, second].map(({ publicKey }) => encrypt(Buffer.from('Hello'), { p256dh: publicKey, auth: BROWSER.auth }));

  expect(messages.map((one, i) => decrypt(one, i === 0 ? first : second, BROWSER.auth))).toEqual(['Hello', 'Hello', 'Hello']);
  expect(messages[1]).not.toEqual(messages[2]);
});

it('encrypts the example of RFC 8291, section 5, byte for byte', () => {
  const of = (text: string) => Buffer.from(text, 'base64');
  const message = encrypt(
    Buffer.from('When I grow up, I want to be a watermelon'),
    {
      p256dh: of('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'),
      auth: of('BTBZMqHH6r4Tts7J_aSIgg'),
    },
    { salt: of('DGv6ra1nlYgDCS1FRnbzlw'), privateKey: of('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw') },
  );

  expect(message.toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6' +
      'cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

it('keeps the token of a service for six hours', () => {
  let nowMs = 1_772_000_000_000;
  const keys = { publicKey: settings.public_key as string, privateKey: settings.private_key as string };
  const tokens = new VapidTokens(keys, 'https://example.com', () => nowMs);
  const first = tokens.of('https://a.example');

  nowMs += 6 * 3_600_000 - 1;
  expect(tokens.of('https://a.example')).toBe(first);
  expect(tokens.of('https://b.example')).not.toBe(first);
  nowMs += 1;
  expect(tokens.of('https://a.example')).not.toBe(first);
});

describe('an endpoint of another service than those of the wide-spread browsers', () => {
  it.each([
    [{ status: 401 }, { kind: 'failed', cause: 'permanent' }],
    [{ status: 503 }, { kind: 'retry' }],
  ])('says nothing about the configuration: %j', async (answer, outcome) => {
    const { send, script } = await openVendor(WEB_PUSH);
    script(answer);

    const got = await send({ rendered, recipient: to(tokenAt('https://push.ada.example/x')) });

    expect(got).toMatchObject(outcome);
    expect(got).not.toHaveProperty('outage');
  });

  it('is not called at an address that is not public', async () => {
    const provider = webPushKind.open(webPushKind.parseSettings(settings), { guard: LOOPBACK });
    cleanUps.push(() => provider.close());

    expect(await provider.send(rendered, to(tokenAt('https://10.0.0.1/x')), attempt())).toMatchObject({
      kind: 'failed',
      cause: 'permanent',
    });
  });
});

it.each([
  'no JSON',
  '[]',
  tokenAt('http://fcm.googleapis.com/x'),
  tokenAt('https://user:secret@fcm.googleapis.com/x'),
  tokenAt(ENDPOINT, { keys: {} }),
  tokenAt(ENDPOINT, { keys: { p256dh: SITE.publicKey.subarray(1).toString('base64url'), auth: BROWSER.auth.toString('base64url') } }),
  tokenAt(ENDPOINT, { keys: { p256dh: Buffer.alloc(65, 4).toString('base64url'), auth: BROWSER.auth.toString('base64url') } }),
  tokenAt(ENDPOINT, { keys: { p256dh: SITE.publicKey.toString('base64url'), auth: 'c2hvcnQ' } }),
])('%# that is no subscription is revoked', async (token) => {
  const { peer, send } = await openVendor(WEB_PUSH);

  expect(parseSubscription(token)).toBeUndefined();
  expect(await send({ rendered, recipient: to(token) })).toMatchObject({
    kind: 'failed',
    cause: 'token',
    refusedTokens: [{ token, outcome: 'revoked', code: 'InvalidSubscription' }],
  });
  expect(peer.server.received).toEqual([]);
});

it.each([
  ['https://fcm.googleapis.com/x', true],
  ['https://wns2-par02p.notify.windows.com/w/?token=x', true],
  ['https://fcm.googleapis.com:8443/x', false],
  ['https://evil-fcm.googleapis.com.example/x', false],
])('%s is a service of a wide-spread browser: %s', (url, is) => {
  expect(isAtService(new URL(url))).toBe(is);
});

it.each([
  [{ subject: 'push@example.com' }, 'settings.subject must be mailto: and an e-mail address, or an https URL'],
  [{ public_key: 'abc' }, 'settings.public_key must be a public key on the curve P-256'],
  [{ private_key: 'A'.repeat(100) }, 'settings.private_key must be a private key on the curve P-256'],
  [{ private_key: makeKeys().privateKey.toString('base64url') }, 'settings.private_key is not that of settings.public_key'],
  [{ urgency: 'now' }, 'settings.urgency must be one of very-low, low, normal, high'],
])('refuses the settings %j', (wrong, sentence) => {
  expect(() => webPushKind.parseSettings({ ...settings, ...wrong })).toThrow(sentence);
});

it('connects to no fixed host', () => {
  expect(webPushKind.hostOf(webPushKind.parseSettings(settings))).toBeUndefined();
  expect(webPushKind.hostOf(webPushKind.parseSettings({ ...settings, base_url: 'https://relay.example' }))).toEqual({
    setting: 'base_url',
    host: 'relay.example',
  });
});
