import type { ElementalContent, ElementalNode } from '@tidings/contracts/content/elemental';
import { type PreviewContent, type PreviewOutput, previews } from '@tidings/contracts/content/previews';
import type { TestService } from '@tidings/testing/service';
import { newWorkspace } from '../testing/content-listener';
import { sharedContent } from '../testing/start-content';

let content: TestService;

beforeAll(async () => (content = await sharedContent()));

const elemental = (...elements: ElementalNode[]): ElementalContent => ({ version: '2022-01-01', elements });
const outputOf = async (request: PreviewContent): Promise<PreviewOutput> =>
  (await content.call(previews.render, newWorkspace(), request)).results[0]!;

const ORDER = elemental(
  { type: 'meta', title: 'Order {data.n}' },
  { type: 'text', content: 'Shipped' },
  { type: 'action', content: 'Track', href: 'https://example.com/7' },
);

it.each<[NonNullable<PreviewContent['channel']>, string | undefined, object]>([
  ['sms', undefined, { text: expect.stringContaining('Shipped') as string }],
  ['sms', 'http', { text: expect.stringContaining('Shipped') as string }],
  ['push', 'apn', { title: 'Order 7', body: 'Shipped', data: { n: 7, clickAction: 'https://example.com/7' } }],
  ['inbox', undefined, { title: 'Order 7', actions: [{ content: 'Track', href: 'https://example.com/7' }] }],
  ['direct_message', 'slack', { blocks: expect.arrayContaining([expect.objectContaining({ type: 'section' })]) as object[] }],
  ['direct_message', 'msteams', { card: { type: 'AdaptiveCard' } }],
  ['direct_message', 'discord', { posts: [expect.stringContaining('Shipped')] }],
])('a preview for %s (%s) shows the channel’s payload', async (channel, provider, payload) => {
  await expect(outputOf({ content: ORDER, channel, provider, data: { n: 7 } })).resolves.toMatchObject({ payload, warnings: [] });
});

it('a preview for e-mail has no payload beside its content', async () => {
  expect(await outputOf({ content: ORDER, channel: 'email' })).not.toHaveProperty('payload');
});

it('fills in raw, with a warning where it has no visible text', async () => {
  const raw = (channel: string, value: Record<string, unknown>): ElementalContent => elemental({ type: 'channel', channel, raw: value });

  expect(await outputOf({ content: raw('slack', { text: 'Hello {name}' }), channel: 'direct_message', provider: 'slack', data: { name: 'Ann' } })).toMatchObject({ payload: { raw: { text: 'Hello Ann' } }, warnings: [] }); // prettier-ignore
  const warned = { warnings: ['raw shows nothing: there is no text in it'] };
  expect(await outputOf({ content: raw('push', { sound: null }), channel: 'push' })).toMatchObject(warned);
  expect(await outputOf({ content: raw('email', { subject: 'Only that' }), channel: 'email' })).toMatchObject(warned);
  expect(await outputOf({ content: raw('email', { html: '<p>x</p>' }), channel: 'email' })).toMatchObject({ warnings: [] });
});

it.each([
  ['email', 'slack'],
  ['direct_message', 'smtp'],
  ['sms', 'unknown'],
  ['inbox', 'apn'],
] as const)('refuses a provider that does not serve the channel: %s by %s', async (channel, provider) => {
  await expect(outputOf({ content: ORDER, channel, provider })).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining(`where channel is ${channel} (got "${provider}")`) as string,
  });
});
