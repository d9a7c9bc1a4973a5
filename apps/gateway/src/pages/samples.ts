const AT = Date.parse('2026-03-01T10:00:00.000Z');
const AT_ISO = '2026-03-01T10:00:00.000Z';
const ELEMENTAL = { version: '2022-01-01', elements: [{ type: 'text', content: 'Your order {{order}} has shipped.' }] };
const AUDIENCE = {
  id: 'architects',
  name: 'Architects',
  description: '',
  filter: { operator: 'EQ', path: 'title', value: 'Architect' },
  created_at: AT_ISO,
  updated_at: AT_ISO,
};

const HISTORY = ['ENQUEUED', 'PROFILE_LOADED', 'ROUTED', 'RENDERED', 'DELIVERING', 'SENT', 'DELIVERED'];
const OUTPUT = { channel: 'email', channel_id: 'email', content: { subject: 'Hello Ada', html: '<p>Your order has shipped.</p>' } };

/** Answers by operation, where the required fields alone would not be useful. */
export const ANSWERS: Readonly<Record<string, unknown>> = {
  'audience.audiences.put': { audience: AUDIENCE },
  'audience.audiences.list': { items: [AUDIENCE], paging: { more: false } },
  'audience.audiences.retrieve': AUDIENCE,
  'content.notification-content.retrieve': ELEMENTAL,
  'content.previews.render': { results: [{ ...OUTPUT, warnings: [] }], errors: [], version: 'v001' },
  'content.translations.replace': 'msgid "Hello"\nmsgstr "Bonjour"\n',
  'content.translations.retrieve': 'msgid "Hello"\nmsgstr "Bonjour"\n',
  'messaging.bulk.retrieve': { job: { definition: { event: 'invitation' }, enqueued: 0, failures: 0, received: 2, status: 'CREATED' } },
  'messaging.messages.history': { results: HISTORY.map((type, step) => ({ ts: AT + step * 20, type })) },
  'messaging.messages.output': { results: [OUTPUT] },
  'messaging.messages.part': '<p>Your order has shipped.</p>',
};
