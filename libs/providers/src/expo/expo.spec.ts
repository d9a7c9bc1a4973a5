import { describeVendor, openVendor } from '../vendor/matrix.fixture';
import { EXPO, TOKEN } from './expo.fixture';

describeVendor(EXPO);

const bodies = (received: readonly { body: string }[]) => received.map(({ body }) => JSON.parse(body) as unknown);
const message = { to: TOKEN, title: 'Order', body: 'Shipped', sound: 'default', data: { order: 'A-17' } };

it('sends one message for each token, with the token of the account', async () => {
  const { peer, send } = await openVendor(EXPO);
  const { rendered } = EXPO.message;
  const tokens = ['a', 'b', 'of another vendor'].map((token, i) => ({ token, provider_key: i < 2 ? 'expo' : 'apn' }));

  await send({ rendered, recipient: { channel: 'push', tokens } });

  expect(peer.received('send')[0]!.headers).toMatchObject({ authorization: 'Bearer the-token-of-the-account' });
  expect(bodies(peer.received('send'))).toEqual([[{ ...message, to: 'a' }], [{ ...message, to: 'b' }]]);
});

it.each([
  [
    { sound: 'ping', badge: 3 },
    { sound: 'ping', badge: 3 },
  ],
  [{ body: { sound: 'ping' } }, { sound: 'ping' }],
  [{ body: 'Another text', headers: { 'x-team': 'a' } }, { body: 'Another text' }],
])('takes fields of the message from the override %j', async (override, fields) => {
  const { peer, send } = await openVendor(EXPO);

  await send(undefined, { override });

  expect(bodies(peer.received('send'))).toEqual([[{ ...message, ...fields }]]);
  expect(peer.problems).toEqual([]);
});

it('needs no token', async () => {
  const { peer, send } = await openVendor({ ...EXPO, settings: () => ({}) });

  expect(await send()).toMatchObject({ kind: 'accepted' });
  expect(peer.received('send')[0]!.headers).not.toHaveProperty('authorization');
});

it('gives a ticket for each device, and reads the receipts that there are', async () => {
  const { peer, provider, send } = await openVendor(EXPO);
  const { rendered } = EXPO.message;
  const tokens = ['a', 'b'].map((token) => ({ token, provider_key: 'expo' }));
  const unregistered = { status: 'error', message: 'No such device', details: { error: 'DeviceNotRegistered' } };
  peer.scripts.set('receipts', { status: 200, body: { data: { 't-1': { status: 'ok' }, 't-2': unregistered } } });

  expect(await send({ rendered, recipient: { channel: 'push', tokens } })).toMatchObject({
    tickets: [
      { id: 'ticket-1', token: 'a' },
      { id: 'ticket-1', token: 'b' },
    ],
  });
  const receipts = await provider.receipts!(['t-1', 't-2', 't-3'], new AbortController().signal);

  expect(JSON.parse(peer.first('receipts').body)).toEqual({ ids: ['t-1', 't-2', 't-3'] });
  expect(receipts).toEqual({
    kind: 'receipts',
    found: new Map([
      ['t-1', { kind: 'delivered' }],
      ['t-2', { kind: 'failed', error: 'No such device', code: 'DeviceNotRegistered', isRevoked: true }],
    ]),
  });
  peer.scripts.set('receipts', { status: 503, body: {} });
  expect(await provider.receipts!(['t-1'], new AbortController().signal)).toMatchObject({ kind: 'retry' });
});
