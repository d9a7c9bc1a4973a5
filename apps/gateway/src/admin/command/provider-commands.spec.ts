import { SYSTEM_WORKSPACE_ID } from '@tidings/contracts/core/context';
import { providerPauses, type ProviderState } from '@tidings/contracts/messaging/provider-pauses';
import type { TestGateway } from '../../testing/start-test-gateway';
import { runAgainst, startGatewayOfShop, W } from './run-command.fixture';

const AT = '2026-03-01T10:00:00.000Z';
const PAUSED: ProviderState = { name: 'smtp', provider: 'smtp', state: 'paused', paused_at: AT, paused_by: 'anna' };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGatewayOfShop();
  gateway.client.answer(providerPauses.list, ({ workspaceId }) => ({
    results: [PAUSED, { name: 'prv_1', provider: 'http', channel: 'sms', alias: 'office', workspace_id: workspaceId, state: 'active' }],
  }));
  gateway.client.answer(providerPauses.pause, ({ workspaceId }) =>
    workspaceId === SYSTEM_WORKSPACE_ID ? PAUSED : { ...PAUSED, workspace_id: workspaceId },
  );
  gateway.client.answer(providerPauses.resume, () => ({ name: 'smtp', state: 'active' }));
});
afterAll(() => gateway.stop());

const tidings = (args: string[]) => runAgainst(gateway, ['providers', ...args]);

it('lists providers with their pauses', async () => {
  const { code, out } = await tidings(['list', '--workspace', 'Shop']);

  expect(code).toBe(0);
  expect(out.replaceAll(/ +/g, ' ').split('\n')).toEqual([
    'NAME PROVIDER CHANNEL ALIAS WORKSPACE STATE PAUSED BY',
    `smtp smtp all paused ${AT} anna`,
    `prv_1 http sms office ${W} active`,
    '',
  ]);
  expect(JSON.parse((await tidings(['list', '--json'])).out)).toMatchObject([PAUSED, { name: 'prv_1' }]);
});

it('pauses and resumes one in all workspaces, or in one', async () => {
  expect((await tidings(['pause', 'smtp'])).out).toBe(`Provider smtp is paused in all workspaces, since ${AT} by anna\n`);
  expect((await tidings(['pause', 'a/b', '--workspace', 'Shop'])).out).toContain('Provider a/b is paused in workspace Shop');
  expect((await tidings(['resume', 'smtp'])).out).toContain('is not paused any more');

  expect(gateway.client.callsOf(providerPauses.pause)).toMatchObject([
    { context: { workspaceId: SYSTEM_WORKSPACE_ID, actor: { type: 'operator' } }, request: { name: 'smtp' } },
    { context: { workspaceId: W }, request: { name: 'a/b' } },
  ]);
});

it('needs a name', async () => {
  expect(await tidings(['pause'])).toMatchObject({ code: 2 });
});
