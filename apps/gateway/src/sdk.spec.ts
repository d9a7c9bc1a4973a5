import Courier from '@trycourier/courier';
import { profiles } from '@tidings/contracts/identity/profiles';
import { messages } from '@tidings/contracts/messaging/messages';
import { ServiceError } from '@tidings/contracts/core/errors';
import { KEY, startTestGateway, type TestGateway } from './testing/start-test-gateway';

let gateway: TestGateway;
let sdk: Courier;
beforeAll(async () => {
  gateway = await startTestGateway({ operations: undefined, notServed: undefined });
  sdk = new Courier({ apiKey: KEY, baseURL: gateway.url });
});
afterAll(() => gateway.stop());

it('sends', async () => {
  const { requestId } = await sdk.send.message({ message: { to: { user_id: 'anna' }, content: { title: 'Hello', body: 'World' } } });

  expect(gateway.events.appended.at(-1)!.id).toBe(requestId);
});

it('accepts ids with any characters', async () => {
  gateway.client.answer(profiles.retrieve, (_context, { user_id }: { user_id: string }) => ({ profile: { user_id } }));
  for (const id of ['u/1 é', 'a%2Fb', 'a:b@c+d', '#?&', 'list.v1.json']) {
    expect(await sdk.profiles.retrieve(id)).toEqual({ profile: { user_id: id } });
  }
});

it('accepts filters, and null for an omitted one', async () => {
  gateway.client.answer(messages.list, () => ({ paging: { more: false }, results: [] }));
  await sdk.messages.list({ status: 'SENT,DELIVERED', tag: ['a', 'b'], archived: true, cursor: null, recipient: 'anna é' } as never);

  expect(gateway.client.callsOf(messages.list).at(-1)!.request).toEqual({
    status: ['SENT', 'DELIVERED'],
    tag: ['a', 'b'],
    archived: true,
    recipient: 'anna é',
  });
});

it('accepts an answer without a body', async () => {
  gateway.client.answer(profiles.remove, () => undefined);

  await expect(sdk.profiles.delete('anna')).resolves.toBeNull();
});

it('raises errors with the messages of the interface', async () => {
  gateway.client.answer(profiles.retrieve, () => {
    throw new ServiceError('not_found', 'Profile anna does not exist');
  });
  await expect(sdk.profiles.retrieve('anna')).rejects.toMatchObject({ status: 404, message: '404 Profile anna does not exist' });
  await expect(new Courier({ apiKey: 'wrong', baseURL: gateway.url }).profiles.retrieve('anna')).rejects.toMatchObject({ status: 401 });
});

it('does not retry a 501', async () => {
  let requests = 0;
  const counting = new Courier({ apiKey: KEY, baseURL: gateway.url, fetch: (...args) => ((requests += 1), fetch(...args)) });

  await expect(counting.journeys.list()).rejects.toMatchObject({ status: 501 });
  expect(requests).toBe(1);
});
