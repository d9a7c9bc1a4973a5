import { describeVendor, openVendor } from '../vendor/matrix.fixture';
import { teamsWorkflowsKind } from './teams-workflows';
import { CARD, TEAMS_WORKFLOWS } from './teams-workflows.fixture';

describeVendor(TEAMS_WORKFLOWS);

it.each([
  [CARD, CARD],
  [undefined, { type: 'AdaptiveCard', version: '1.4', body: [{ type: 'TextBlock', text: 'Shipped', wrap: true }] }],
])('posts a card to the whole address: %j', async (card, content) => {
  const { peer, send } = await openVendor(TEAMS_WORKFLOWS);
  const { recipient } = TEAMS_WORKFLOWS.message;

  await send({ rendered: { kind: 'direct_message', directMessage: { text: 'Shipped', card } }, recipient });

  const { url, body } = peer.first('send');
  expect(url).toBe('/operations/send?sig=the-signature-of-the-workflow');
  expect(JSON.parse(body)).toEqual({
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  });
});

it('has the address of a workflow and no base URL', () => {
  const parsed = teamsWorkflowsKind.parseSettings({ webhook_url: 'https://prod.logic.azure.com/w?sig=x' });

  expect(teamsWorkflowsKind.hostOf(parsed)).toEqual({ setting: 'webhook_url', host: 'prod.logic.azure.com' });
  expect(() => teamsWorkflowsKind.parseSettings({ webhook_url: 'prod' })).toThrow(
    'settings.webhook_url must be the https address of a webhook',
  );
  expect(() => teamsWorkflowsKind.parseSettings({ webhook_url: 'https://x.example', base_url: 'https://y.example' })).toThrow(
    'base_url is not a known field',
  );
});
