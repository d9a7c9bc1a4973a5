import { describeVendor, openVendor } from '../vendor/matrix.fixture';
import { pagerdutyKind } from './pagerduty';
import { PAGERDUTY, webhookOf } from './pagerduty.fixture';

describeVendor(PAGERDUTY);

const { rendered } = PAGERDUTY.message;
const to = (pagerduty: object) => ({ rendered, recipient: { channel: 'webhook', pagerduty: { ...pagerduty } } as const });
const bodies = (received: readonly { body: string }[]) => received.map(({ body }) => JSON.parse(body) as object);

it('raises an incident, the same one for every repeat', async () => {
  const { peer, send } = await openVendor(PAGERDUTY);

  await send();
  await send();

  const event = {
    routing_key: 'the-integration-key-of-the-shop',
    event_action: 'trigger',
    dedup_key: '1-5e2b2615-05efbb3acab9172f88dd3f6f.0',
    payload: { summary: 'Disk full', source: 'tidings', severity: 'critical', custom_details: { body: 'Disk 7 of db-7 is full' } },
  };
  expect(bodies(peer.received('send'))).toEqual([event, event]);
});

it('uses what the profile of the recipient says, and resolves an incident by its key', async () => {
  const { peer, send } = await openVendor(PAGERDUTY);

  await send(to({ routing_key: 'of-ada', severity: 'info', source: 'db-7', dedup_key: 'disk-7' }));
  await send(to({ event_action: 'resolve', dedup_key: 'disk-7' }));

  expect(bodies(peer.received('send'))).toMatchObject([
    { routing_key: 'of-ada', dedup_key: 'disk-7', payload: { severity: 'info', source: 'db-7' } },
    { routing_key: 'the-integration-key-of-the-shop', event_action: 'resolve', dedup_key: 'disk-7' },
  ]);
  expect(peer.problems).toEqual([]);
});

it('cuts a summary, with the whole text in the details', async () => {
  const { peer, send } = await openVendor(PAGERDUTY);
  const text = 'Disk full. '.repeat(200);

  await send({ ...PAGERDUTY.message, rendered: webhookOf('', text) });

  expect(bodies(peer.received('send'))).toMatchObject([{ payload: { custom_details: { body: text } } }]);
  expect(peer.problems).toEqual([]);
});

it('a wrong key of a recipient is no fault of the configuration', async () => {
  const { send, script } = await openVendor(PAGERDUTY);
  script(PAGERDUTY.rows.badCredentials.answer);

  expect(await send(to({ routing_key: 'of-ada' }))).toMatchObject({ kind: 'failed', cause: 'permanent' });
});

it.each([
  [{ event_action: 'explode' }, 'profile.pagerduty.event_action must be one of trigger, acknowledge, resolve'],
  [{ severity: 'bad' }, 'profile.pagerduty.severity must be one of critical, error, warning, info'],
  [{ event_action: 'acknowledge' }, 'profile.pagerduty.dedup_key is required to acknowledge: it names the incident'],
])('sends nothing for a profile with %j', async (pagerduty, error) => {
  const { peer, send } = await openVendor(PAGERDUTY);

  expect(await send(to(pagerduty))).toMatchObject({ kind: 'failed', cause: 'permanent', error });
  expect(peer.server.received).toEqual([]);
});

it('needs a key', async () => {
  const { send } = await openVendor({ ...PAGERDUTY, settings: () => ({}) });

  expect(await send()).toMatchObject({ error: 'Neither profile.pagerduty nor the settings have a routing_key' });
});

it('gets neither webhook nor profile of the recipient', () => {
  expect(
    pagerdutyKind.recipientOf!({ channel: 'webhook', user_id: 'ada', profile: { a: 1 }, webhook: { url: 'https://a.example' } }),
  ).toEqual({
    channel: 'webhook',
    user_id: 'ada',
  });
});
