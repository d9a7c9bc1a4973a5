import { constants, type Http2ServerResponse } from 'node:http2';
import type { CapturingHttp2 } from '@tidings/testing/capturing-http2';
import { describeVendor, openVendor } from '../vendor/matrix.fixture';
import { apnKind } from './apn';
import { APN, PHONE, pushOf, REVOKED_AT, SETTINGS } from './apn.fixture';

describeVendor(APN);

const sent = (body: string): unknown => JSON.parse(body);

it('sends the payload and what Apple needs to know of it', async () => {
  const { peer, send } = await openVendor(APN);
  const data = { order: { id: 17 }, aps: 'x' };

  await Promise.all([send({ rendered: pushOf(data), recipient: PHONE }), send({ rendered: pushOf(data), recipient: PHONE })]);

  const [first, repeat] = peer.received('send');
  expect(first).toMatchObject({
    url: '/3/device/phone',
    headers: {
      authorization: expect.stringMatching(/^bearer [\w-]+\.[\w-]+\.[\w-]+$/) as string,
      'apns-topic': 'com.example.app',
      'apns-push-type': 'alert',
      'apns-priority': '10',
      'apns-id': expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/) as string,
    },
  });
  expect(sent(first!.body)).toEqual({ aps: { alert: { title: 'Order', body: 'Shipped' } }, order: { id: 17 } });
  expect(repeat!.headers).toMatchObject({ authorization: first!.headers.authorization, 'apns-id': first!.headers['apns-id'] });
});

it('lets a send change the payload, the headers and the topic', async () => {
  const { peer, send } = await openVendor(APN);
  const override = {
    body: { aps: { alert: { title: null }, sound: 'default', badge: 3 } },
    headers: { 'apns-collapse-id': 'order-17', 'apns-expiration': '0', authorization: 'bearer x' },
    config: { topic: 'com.example.other' },
  };

  await send(APN.message, { override });

  const { headers, body } = peer.received('send')[0]!;
  expect(headers).toMatchObject({ 'apns-collapse-id': 'order-17', 'apns-expiration': '0', 'apns-topic': 'com.example.other' });
  expect(headers.authorization).not.toBe('bearer x');
  expect(sent(body)).toEqual({ aps: { alert: { body: 'Shipped' }, sound: 'default', badge: 3 } });
  expect(peer.problems).toEqual([]);
});

it('sends a silent message in the background', async () => {
  const { peer, send } = await openVendor(APN);

  await send({ rendered: pushOf({ order: 17 }), recipient: PHONE }, { override: { silent: true } });

  const { headers, body } = peer.received('send')[0]!;
  expect(headers).toMatchObject({ 'apns-push-type': 'background', 'apns-priority': '5' });
  expect(sent(body)).toEqual({ aps: { 'content-available': 1 }, order: 17 });
});

it('makes a new token when Apple refuses an expired one, and repeats the call once', async () => {
  const clock = { nowMs: REVOKED_AT };
  const { peer, send, script } = await openVendor(APN, { now: () => clock.nowMs });
  await send();
  const { authorization: old } = peer.received('send')[0]!.headers;
  clock.nowMs += 30 * 60_000;
  script((response, { headers: { authorization } }) => {
    if (authorization === old) response.writeHead(403).end(JSON.stringify({ reason: 'ExpiredProviderToken' }));
    else response.writeHead(200).end();
  });

  await expect(Promise.all([send(), send()])).resolves.toMatchObject([{ kind: 'accepted' }, { kind: 'accepted' }]);
  expect(peer.received('send')).toHaveLength(5);

  script({ status: 403, body: { reason: 'ExpiredProviderToken' } });
  await expect(send()).resolves.toMatchObject({ kind: 'failed', cause: 'configuration' });
  expect(peer.received('send')).toHaveLength(6);
});

it('sends to every device over one connection, also while Apple replaces it', async () => {
  const { peer, send, script } = await openVendor(APN);
  const server = peer.server as unknown as CapturingHttp2;
  const tokens = Array.from({ length: 40 }, (_, i) => ({ token: `phone-${i}`, provider_key: 'apn' }));
  script((given, { url }) => {
    const response = given as unknown as Http2ServerResponse;
    const isOld = url.endsWith('-7');
    response.writeHead(isOld ? 410 : 200).end(isOld ? JSON.stringify({ reason: 'Unregistered', timestamp: REVOKED_AT }) : '');
    if (url.endsWith('-20')) response.stream.session!.goaway(constants.NGHTTP2_NO_ERROR, response.stream.id);
  });

  const outcome = await send({ rendered: pushOf(), recipient: { channel: 'push', tokens } });

  expect(outcome).toMatchObject({ kind: 'accepted', refusedTokens: [{ token: 'phone-7', outcome: 'revoked', at: REVOKED_AT }] });
  expect(new Set(peer.received('send').map(({ url }) => url)).size).toBe(40);
  expect(server.connectionCount).toBe(2);
});

describe('settings', () => {
  const parse = (settings: object) => () => apnKind.parseSettings(settings);
  const hostOf = (settings: object) => apnKind.hostOf(apnKind.parseSettings(settings))?.host;

  it('lead to the servers of Apple', () => {
    expect(hostOf(SETTINGS)).toBe('api.push.apple.com');
    expect(hostOf({ ...SETTINGS, environment: 'production' })).toBe('api.push.apple.com');
    expect(hostOf({ ...SETTINGS, environment: 'sandbox' })).toBe('api.sandbox.push.apple.com');
  });

  it('name what is wrong, without quoting the key', () => {
    expect(parse({ key: 'secret', key_id: 'x', team_id: 'DEF123GHI', topic: 'a b', environment: 'test' })).toThrow(
      'settings.environment must be one of production, sandbox, got "test"; settings.key must be the private key of an APNs authentication ' +
        'key (the text of the .p8 file), in PEM; settings.key_id must be 10 capital letters and digits; ' +
        'settings.team_id must be 10 capital letters and digits; settings.topic must be a bundle id: letters, digits, dots and hyphens',
    );
  });
});
