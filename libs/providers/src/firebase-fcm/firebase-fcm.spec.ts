import { createVerifier } from 'fast-jwt';
import { describeVendor, openVendor, UNLIMITED } from '../vendor/matrix.fixture';
import { firebaseFcmKind } from './firebase-fcm';
import { account, CLIENT_EMAIL, error, FCM, PHONE, PUBLIC_KEY, pushOf } from './firebase-fcm.fixture';

describeVendor(FCM);

const sent = (body: string): unknown => JSON.parse(body);

it('sends texts, and data as texts without the keys that are reserved', async () => {
  const { peer, send } = await openVendor(FCM);
  const data = { order: 17, paid: true, items: ['a'], note: null, name: 'Ada', from: 'x', google_id: 'x', gcm: 'x', message_type: 'x' };

  await send({ rendered: pushOf(data), recipient: PHONE });

  const { url, headers, body } = peer.received('send')[0]!;
  expect(url).toBe('/v1/projects/example-1/messages:send');
  expect(headers).toMatchObject({ authorization: 'Bearer access', 'content-type': 'application/json; charset=utf-8' });
  expect(sent(body)).toEqual({
    message: {
      token: 'phone',
      notification: { title: 'Order', body: 'Shipped' },
      data: { order: '17', paid: 'true', items: '["a"]', name: 'Ada' },
    },
  });
});

it('merges an override into the message', async () => {
  const { peer, send } = await openVendor(FCM);

  await send(FCM.message, { override: { body: { notification: { title: null }, android: { priority: 'HIGH' } } } });

  expect(sent(peer.received('send')[0]!.body)).toEqual({
    message: { token: 'phone', notification: { body: 'Shipped' }, android: { priority: 'HIGH' } },
  });
});

it('calls once for each token, and reports the refused ones beside an accepted one', async () => {
  const { send, script } = await openVendor(FCM);
  script((answer, { body }) => {
    const { token } = (JSON.parse(body) as { message: { token: string } }).message;
    if (token === 'old') answer.writeHead(404).end(JSON.stringify(error(404, 'UNREGISTERED')));
    else answer.writeHead(200).end(JSON.stringify({ name: 'projects/example-1/messages/1' }));
  });
  const tokens = ['old', 'new'].map((token) => ({ token, provider_key: 'firebase-fcm' }));
  const recipient = { channel: 'push', tokens: [...tokens, { token: 'apple', provider_key: 'apn' }] } as const;

  const outcome = await send({ rendered: pushOf(), recipient });

  expect(outcome).toMatchObject({ kind: 'accepted', refusedTokens: [{ token: 'old', outcome: 'revoked', code: 'UNREGISTERED' }] });
  expect(firebaseFcmKind.recipientOf!(recipient)).toEqual({ channel: 'push', tokens });
});

it('gets one access token for all calls, with an assertion signed by the account', async () => {
  const nowMs = Date.parse('2026-03-01T12:00:00Z');
  const { peer, send } = await openVendor(FCM, { now: () => nowMs });
  await Promise.all([send(), send(), send()]);

  expect(peer.problems).toEqual([]);
  const [request, ...others] = peer.received('token');
  expect(others).toEqual([]);
  const verify = createVerifier({ key: PUBLIC_KEY, algorithms: ['RS256'], complete: true, clockTimestamp: nowMs });
  expect(verify(new URLSearchParams(request!.body).get('assertion')!)).toMatchObject({
    header: { alg: 'RS256', kid: 'key-1' },
    payload: {
      iss: CLIENT_EMAIL,
      scope: 'https://www.googleapis.com/auth/firebase.messaging',
      aud: peer.urlOf('token'),
      iat: nowMs / 1_000,
      exp: nowMs / 1_000 + 3_600,
    },
  });
});

it('gets another access token when one is refused, and repeats the call once', async () => {
  const { peer, send, script } = await openVendor(FCM);
  const tokens = ['first', 'second', 'third'];
  peer.scripts.set('token', (answer) => answer.writeHead(200).end(JSON.stringify({ access_token: tokens.shift(), expires_in: 3_600 })));
  script((answer, { headers: { authorization } }) => {
    if (authorization === 'Bearer second') answer.writeHead(200).end('{}');
    else answer.writeHead(401).end(JSON.stringify({ error: { code: 401, message: 'Expired', status: 'UNAUTHENTICATED' } }));
  });
  await expect(Promise.all([send(), send()])).resolves.toMatchObject([{ kind: 'accepted' }, { kind: 'accepted' }]);
  expect(peer.received('token')).toHaveLength(2);

  script({ status: 401, body: error(401, undefined) });
  await expect(send()).resolves.toMatchObject({ kind: 'failed', cause: 'configuration' });
  expect(peer.received('token')).toHaveLength(3);
});

it('reports that the account has no access token, without a call', async () => {
  const { peer, send, provider } = await openVendor(FCM);
  peer.scripts.set('token', { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } });

  const message = 'No access token: The token server of Firebase Cloud Messaging answered 400: Invalid JWT Signature.';
  await expect(send()).resolves.toEqual({ kind: 'failed', cause: 'configuration', reason: 'PROVIDER_ERROR', error: message });
  await expect(provider.test(UNLIMITED)).resolves.toEqual({ ok: false, message });
  expect(peer.received('send')).toEqual([]);
});

describe('settings', () => {
  const parse = (settings: object) => () => firebaseFcmKind.parseSettings(settings);

  it.each([
    ['no JSON', 'secret'],
    ['without a project', account('https://oauth2.googleapis.com/token', { project_id: undefined })],
    ['with a key that is none', account('https://oauth2.googleapis.com/token', { private_key: 'secret' })],
    ['with an address that is none', account('oauth2.googleapis.com')],
  ])('refuse a service account: %s, without quoting it', (_name, text) => {
    expect(parse({ service_account: text })).toThrow(/^settings\.service_account must be the JSON file of a service account key/);
    expect(parse({ service_account: text })).not.toThrow(/secret/);
  });

  it('name the project where it is another one', async () => {
    const { peer, send } = await openVendor({ ...FCM, settings: (one) => ({ ...FCM.settings(one), project_id: 'other' }) });
    await send();
    expect(peer.received('send')[0]!.url).toBe('/v1/projects/other/messages:send');
  });
});
