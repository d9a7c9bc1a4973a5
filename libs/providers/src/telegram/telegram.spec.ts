import { describeVendor, openVendor } from '../vendor/matrix.fixture';
import { telegramKind } from './telegram';
import { refused, TELEGRAM, TOKEN } from './telegram.fixture';

describeVendor(TELEGRAM);

const { rendered } = TELEGRAM.message;
const to = (chat_id: unknown) => ({ rendered, recipient: { channel: 'direct_message', telegram: { chat_id } } as const });
const bodies = (received: readonly { body: string }[]) => received.map(({ body }) => JSON.parse(body) as object);

it('sends the text to the chat, with the token in the path', async () => {
  const { peer, send } = await openVendor(TELEGRAM);

  await send();
  await send(to('@shop'), { override: { body: { text: '<b>Shipped</b>', parse_mode: 'HTML' } } });

  expect(peer.received('send').map(({ url }) => url)).toEqual([`/bot${TOKEN}/sendMessage`, `/bot${TOKEN}/sendMessage`]);
  expect(bodies(peer.received('send'))).toEqual([
    { chat_id: '-1001234567890', text: 'Shipped' },
    { chat_id: '@shop', text: '<b>Shipped</b>', parse_mode: 'HTML' },
  ]);
  expect(peer.problems).toEqual([]);
});

it('follows a group that has become a supergroup, once', async () => {
  const { peer, send, script } = await openVendor(TELEGRAM);
  const moved = refused(400, 'Bad Request: group chat was upgraded to a supergroup chat', { migrate_to_chat_id: -1009 });
  script((answer, { body }) => {
    const isMoved = !body.includes('-1009');
    answer
      .writeHead(isMoved ? 400 : 200)
      .end(JSON.stringify(isMoved ? moved.body : { ok: true, result: { message_id: 2, chat: { id: -1009 } } }));
  });

  expect(await send(to(-5))).toMatchObject({ kind: 'accepted', reference: { id: '-1009:2' } });
  expect(bodies(peer.received('send'))).toMatchObject([{ chat_id: '-5' }, { chat_id: '-1009' }]);

  script(moved);
  expect(await send(to(-5))).toMatchObject({ kind: 'failed', cause: 'permanent' });
  expect(peer.received('send')).toHaveLength(4);
});

it('shows its token neither in errors nor in the stored answer', async () => {
  const { send, script } = await openVendor(TELEGRAM);
  script({ status: 404, body: `no such path /bot${TOKEN}/sendMessage` });

  expect(JSON.stringify(await send())).not.toContain(TOKEN);
});

it.each([undefined, {}, { chat_id: '' }, { chat_id: 1.5 }, { chat_id: { id: 1 } }])('reaches no recipient with %j', (telegram) => {
  expect(telegramKind.recipientOf!({ channel: 'direct_message', telegram })).toBeUndefined();
});

it('refuses settings without the form of a token', () => {
  expect(() => telegramKind.parseSettings({ bot_token: 'bot of the shop' })).toThrow('settings.bot_token must be the token of a bot');
});
