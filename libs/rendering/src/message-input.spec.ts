import { messageInput, plainLocale, withoutValues } from './message-input';

const MARKER = 'marker';
const brand = { id: 'acme', name: 'Acme', version: '1', settings: {}, snippets: [] };
const input = messageInput({
  workspaceId: 'w',
  content: { title: 'Hello', body: 'World' },
  contentKey: 'w/template/v1',
  channel: 'email',
  provider: 'smtp',
  brand,
  catalogues: ['msgid ""'],
  utm: { source: MARKER },
  data: { name: MARKER },
  tenant: { name: MARKER },
  profile: { email: MARKER, locale: `en_x_${MARKER}` },
  builtIns: {
    messageId: MARKER,
    event: MARKER,
    recipient: MARKER,
    template: 'template',
    topicId: MARKER,
    mode: 'production',
    scope: 'published',
    nowMs: 0,
    urls: { unsubscribe: MARKER, preferences: MARKER },
  },
});

it('without values has nothing of the message, but content, brand and translations', () => {
  const without = withoutValues(input);
  expect(JSON.stringify(input)).toContain(MARKER);
  expect(JSON.stringify(without)).not.toContain(MARKER);
  expect(without).toMatchObject({ content: input.content, contentKey: input.contentKey, brand: input.brand, channel: 'email' });
  expect(without.scope).toMatchObject({ catalogues: ['msgid ""'], builtIns: { template: 'template' } });
});

it.each(['de', 'fr_FR', 'pt-BR', 'zh_Hans_CN', 'es_419'])('%s is a plain locale', (locale) => {
  expect(plainLocale(locale)).toBe(locale);
});

it.each(['en_x_ada', 'en_US@lovelace', 'ada-lovelace', 'en_US.UTF-8', '', undefined])('%s is no plain locale', (locale) => {
  expect(plainLocale(locale)).toBeUndefined();
});
