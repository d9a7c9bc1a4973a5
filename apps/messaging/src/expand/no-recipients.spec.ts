import { newMessageId } from '@tidings/contracts/messaging/message-id';
import { messageActions, messages } from '@tidings/contracts/messaging/messages';
import type { MembershipFilter, Target } from '@tidings/contracts/messaging/targets';
import { waitUntil } from '@tidings/testing/wait-until';
import { Messaging } from '../testing/start-messaging';
import { PAGE_SIZE } from './derive';

const OF_ACME: MembershipFilter[] = [{ operator: 'MEMBER_OF', path: 'account_id', value: 'acme' }];

const named = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}-${String(n).padStart(5, '0')}`);

let messaging: Messaging;
beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start();
});
afterAll(() => messaging.end());

it.each<[string, Target[], string]>([
  ['an empty list', [{ kind: 'list', listId: 'desert.ed' }], 'The list "desert.ed" has no subscribers'],
  ['an unknown list', [{ kind: 'list', listId: 'orders' }], 'No list "orders" exists'],
  [
    'a list whose subscribers do not meet the filters',
    [{ kind: 'list', listId: 'outsiders', filters: OF_ACME }],
    'No subscriber of the list "outsiders" meets the filters',
  ],
  ['a pattern without lists', [{ kind: 'pattern', pattern: 'nothing.**' }], 'No list matches the pattern "nothing.**"'],
  [
    'a pattern of empty lists',
    [{ kind: 'pattern', pattern: 'desert.*' }],
    'The lists that match the pattern "desert.*" have no subscribers',
  ],
  ['an empty audience', [{ kind: 'audience', audienceId: 'empty' }], 'The audience "empty" has no members'],
  ['an unknown audience', [{ kind: 'audience', audienceId: 'never' }], 'No audience "never" exists'],
  [
    'an audience whose members do not meet the filters',
    [{ kind: 'audience', audienceId: 'outsiders', filters: OF_ACME }],
    'No member of the audience "outsiders" meets the filters',
  ],
  ['an empty tenant', [{ kind: 'tenant', tenantId: 'acme', includeChildren: false }], 'The tenant "acme" has no members'],
  [
    'an empty tenant with empty children',
    [{ kind: 'tenant', tenantId: 'acme', includeChildren: true }],
    'The tenant "acme" and its children have no members',
  ],
  ['an unknown tenant', [{ kind: 'tenant', tenantId: 'nowhere', includeChildren: true }], 'No tenant "nowhere" exists'],
  [
    'several targets without recipients',
    [
      { kind: 'list', listId: 'desert.ed' },
      { kind: 'audience', audienceId: 'never' },
      { kind: 'list', listId: 'outsiders', filters: OF_ACME },
    ],
    'The list "desert.ed" has no subscribers; no audience "never" exists; no subscriber of the list "outsiders" meets the filters',
  ],
  [
    'more targets than an error names',
    named('none', 6).map((listId) => ({ kind: 'list', listId })),
    'No list "none-00000" exists; no list "none-00001" exists; no list "none-00002" exists; no list "none-00003" exists; ' +
      'no list "none-00004" exists; and 1 more target has no recipients',
  ],
])('a send to %s ends with one record; its error and its history state the reason', async (_, targets, error) => {
  messaging.members.subscribe('desert.ed', []);
  messaging.members.subscribe('outsiders', named('outsider', PAGE_SIZE + 1));
  messaging.members.audiences.set('empty', []).set('outsiders', ['outsider']);
  messaging.members.tenants.set('acme', []);

  const id = newMessageId(Date.now());
  const warnings = ['unknown field message.contnt'];
  await messaging.send({ id, recipient: id, profile: {}, targets, warnings });
  await messaging.waitForStatus(id, 'UNROUTABLE');

  expect(await messaging.call(messages.retrieve, { message_id: id })).toMatchObject({ reason: 'NO_CHANNELS', error });
  const { results } = await messaging.call(messages.history, { message_id: id });
  expect(results).toMatchObject([
    { type: 'ENQUEUED', warnings },
    { type: 'UNROUTABLE', reason: 'NO_CHANNELS', error_message: error },
  ]);
  await waitUntil(async () => (await messaging.rows('select from messaging.expansions')).length === 0, {
    what: 'the expansion to be closed',
  });
  const resent = messaging.call(messageActions.resend, { message_id: id });
  await expect(resent).rejects.toMatchObject({
    code: 'not_found',
    message: `${id} is a request to several, no message: it cannot be sent again`,
  });
});

it.each<[string, Target[], string]>([
  ['a list', [{ kind: 'list', listId: 'nope' }], 'list:nope'],
  ['a pattern', [{ kind: 'pattern', pattern: 'nope.**' }], 'pattern:nope.**'],
  ['a tenant', [{ kind: 'tenant', tenantId: 'nope', includeChildren: true }], 'tenant:nope'],
  ['two targets', ['nope', 'never'].map((listId) => ({ kind: 'list', listId })), 'list:nope, list:never'],
  [
    'more targets than it names',
    named('n', 7).map((audienceId) => ({ kind: 'audience', audienceId })),
    'audience:n-00000, audience:n-00001, audience:n-00002, audience:n-00003, audience:n-00004, and 2 more',
  ],
])('the record of a send to %s without recipients names it as its recipient', async (_, targets, recipient) => {
  const id = newMessageId(Date.now());
  await messaging.send({ id, recipient: id, profile: {}, targets });
  await messaging.waitForStatus(id, 'UNROUTABLE');

  expect(await messaging.call(messages.retrieve, { message_id: id })).toMatchObject({ id, recipient });
  expect((await messaging.call(messages.list, { recipient })).results.map((one) => one.id)).toEqual([id]);
});
