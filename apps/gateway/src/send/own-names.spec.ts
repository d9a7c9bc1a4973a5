import { setImmediate as tick } from 'node:timers/promises';
import { unavailable } from '@tidings/contracts/core/errors';
import { providers } from '@tidings/contracts/messaging/providers';
import { TestClient } from '../testing/test-client';
import { OwnNames } from './own-names';

const configurationsOf = (...aliases: string[]): object => ({
  paging: { more: false },
  results: aliases.map((alias) => ({ id: `prv_${alias}`, provider: 'http', title: 'One', alias, settings: {}, created: 1 })),
});

let client: TestClient;
let ownNames: OwnNames;
beforeEach(() => {
  client = new TestClient();
  ownNames = new OwnNames(client);
});

const check = (name: string, workspaceId = 'w'): Promise<void> =>
  ownNames.assertAll({ workspaceId, scopes: ['*'], mode: 'production', callId: 'c' }, new Map([[name, 'message.routing.channels[0]']]));
const lookups = (): number => client.callsOf(providers.list).length;

it('looks names up once for concurrent sends of a workspace', async () => {
  client.answer(providers.list, () => configurationsOf('mine'));

  await Promise.all([...Array.from({ length: 20 }, () => check('mine')), check('mine', 'other workspace')]);

  expect(lookups()).toBe(2);
});

it('caches every id and alias of an answer', async () => {
  client.answer(providers.list, () => configurationsOf('mine', 'second'));
  await check('mine');

  await Promise.all([check('second'), check('prv_mine'), check('prv_second')]);

  expect(lookups()).toBe(1);
});

it('looks a name up again that a lookup of an earlier send missed', async () => {
  let answerFirst: (answer: object) => void = () => undefined;
  client.answer(providers.list, () => new Promise((resolve) => (answerFirst = resolve as typeof answerFirst)));
  const earlier = check('mine');
  await tick();
  client.answer(providers.list, () => configurationsOf('mine', 'new'));
  const later = check('new');
  answerFirst(configurationsOf('mine'));

  await Promise.all([earlier, later]);
  expect(lookups()).toBe(2);
});

it('accepts any name while messaging cannot answer, and looks it up again later', async () => {
  client.answer(providers.list, () => Promise.reject(unavailable('Messaging is down')));
  await check('emial');
  client.answer(providers.list, () => configurationsOf('mine'));

  await expect(check('emial')).rejects.toThrow('message.routing.channels[0] must be one of');
});

it('passes on an error of its own', async () => {
  client.answer(providers.list, () => ({ paging: { more: false } }));

  await expect(check('emial')).rejects.toThrow(TypeError);
});
