const TEXT = { type: 'text', id: 'elementId-1', content: 'Hello {name}' };
const ELEMENTAL = {
  version: '2022-01-01',
  elements: [TEXT, { type: 'group', elements: [{ type: 'action', content: 'Go', href: 'https://example.com/' }] }],
};
const ROUTING = { method: 'single', channels: ['email', { method: 'all', channels: ['sms', 'push'] }] };
const BLOCKS = {
  blocks: [
    { id: 'block_id-1', type: 'text', content: 'Hello' },
    { id: 'b2', type: 'list', content: { parent: 'One', children: 'Two' } },
  ],
  // The path parameter `channel_id` is a channel's name too.
  channels: ['channel_id-1', 'email'].map((id) => ({ id, type: 'email', content: { subject: 'Hi' } })),
};
const TEMPLATE = { name: 'Welcome', tags: ['a'], brand: null, subscription: { topic_id: 't' }, routing: null, content: ELEMENTAL };
const PUBLISHED = { notification: TEMPLATE, state: 'published' };
const OF_BLOCKS = { blocks: [{ id: 'block_id-1', content: 'Hallo', locales: { de: 'Hallo' } }] };

/** Bodies of template operations, whose content, routing and translations no schema describes. */
export function templateBodies(): Record<string, readonly unknown[]> {
  const strategy = {
    name: 'Push first',
    routing: ROUTING,
    channels: { email: { providers: ['ses'] } },
    providers: { ses: { timeouts: 5 } },
  };
  const notification = '/notifications/{id}';
  const both = (path: string, bodies: readonly unknown[]) => ({
    [`POST ${notification}/${path}`]: bodies,
    [`POST ${notification}/draft/${path}`]: bodies,
  });
  return {
    'POST /notifications': [PUBLISHED, { notification: { ...TEMPLATE, brand: { id: 'b' } } }],
    [`PUT ${notification}`]: [PUBLISHED],
    [`PUT ${notification}/content`]: [{ content: ELEMENTAL }, { content: { elements: [TEXT] }, state: 'PUBLISHED' }],
    [`PUT ${notification}/elements/{elementId}`]: [
      { type: 'text', data: { content: 'x' } },
      { ...TEXT, state: 'DRAFT' },
    ],
    [`PUT ${notification}/locales/{localeId}`]: [{ elements: [] }, { elements: [{ id: 'elementId-1', content: 'x' }] }, OF_BLOCKS],
    [`PUT ${notification}/locales`]: [OF_BLOCKS, { blocks: [] }],
    [`PUT ${notification}/draft/locales`]: [OF_BLOCKS, { blocks: [] }],
    [`PUT ${notification}/draft/locales/{localeId}`]: [OF_BLOCKS, { blocks: [] }],
    ...both('variations', [BLOCKS]),
    ...both('blocks/{block_id}/locales', [{ de: 'Hallo' }, { de: { parent: 'Eins' } }]),
    ...both('channels/{channel_id}/locales', [{ de: { subject: 'Hallo' } }]),
    'PUT /tenants/{tenant_id}/templates/{template_id}': [
      { template: { content: ELEMENTAL, routing: ROUTING }, published: true },
      { template: { content: ELEMENTAL } },
    ],
    'POST /routing-strategies': [strategy],
    'PUT /routing-strategies/{id}': [strategy],
  };
}
