import { describeVendor, openVendor } from '../vendor/matrix.fixture';
import { onesignalKind } from './onesignal';
import { ONESIGNAL } from './onesignal.fixture';

describeVendor(ONESIGNAL);

const bodies = (received: readonly { body: string }[]) => received.map(({ body }) => JSON.parse(body) as object);

it('sends one notification to every subscription, the same one for every repeat', async () => {
  const { peer, send } = await openVendor(ONESIGNAL);

  await send();
  await send();

  const { url, headers } = peer.first('send');
  expect([url, headers]).toMatchObject(['/notifications?c=push', { authorization: 'Key os_v2_app_the-key' }]);
  const [first, second] = bodies(peer.received('send'));
  expect(first).toEqual({
    app_id: '3f0c1d52-1111-2222-3333-444455556666',
    include_subscription_ids: ['phone', 'tablet'],
    headings: { en: 'Order' },
    contents: { en: 'Shipped' },
    data: { order: 'A-17' },
    url: 'https://shop.example/orders',
    idempotency_key: expect.any(String) as string,
  });
  expect(second).toEqual(first);
});

it('sends a title without a body as the text', async () => {
  const { peer, send } = await openVendor(ONESIGNAL);
  const { recipient } = ONESIGNAL.message;

  await send({ rendered: { kind: 'push', push: { title: 'Shipped', body: '', data: {} } }, recipient });

  expect(bodies(peer.received('send'))).toMatchObject([{ contents: { en: 'Shipped' } }]);
  expect(bodies(peer.received('send'))[0]).not.toHaveProperty('headings');
});

it('refuses an application that is no UUID', () => {
  expect(() => onesignalKind.parseSettings({ app_id: 'shop', api_key: 'x' })).toThrow(
    'settings.app_id must be the id of an application, a UUID',
  );
});
