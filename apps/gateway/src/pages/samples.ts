const AT = Date.parse('2026-03-01T10:00:00.000Z');
const AT_ISO = '2026-03-01T10:00:00.000Z';
const MESSAGE_ID = '1-69a40ce0-5f2b9c01d3e84a7766aa10fe';
const ELEMENTAL = { version: '2022-01-01', elements: [{ type: 'text', content: 'Your order {{order}} has shipped.' }] };
const TEMPLATE = { name: 'Order shipped', content: ELEMENTAL };
const AUDIENCE = {
  id: 'lyon',
  name: 'Customers in Lyon',
  description: '',
  filter: { operator: 'EQ', path: 'city', value: 'Lyon' },
  created_at: AT_ISO,
  updated_at: AT_ISO,
};

/** Sample values by field name in snake_case, for schemas without a fixed value. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  account_id: 'acme',
  audit_event_id: '6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11',
  audience_id: 'lyon',
  channel: 'email',
  channel_id: 'email',
  checksum: 'd41d8cd98f00b204e9800998ecf8427e',
  created: AT,
  created_at: AT_ISO,
  creator: 'api-key',
  description: 'Sends e-mail through a mail server',
  domain: 'default',
  element_id: 'el_shipped',
  enqueued: AT,
  etag: 'r2',
  event: 'order-shipped',
  event_id: 'order-shipped',
  expires_in: '2 days',
  job_id: '1-69a40ce0-0b6d1f3a9e5c47728812cd34',
  list_id: 'news.weekly',
  locale: 'fr_FR',
  locale_id: 'fr_FR',
  member_id: 'ada',
  message_id: MESSAGE_ID,
  name: 'Order shipped',
  notification: 'nt_01kjm2v8qe5rw3n7t9yxb4c6da',
  page_id: 'default',
  part: 'html',
  profile: { email: 'ada@example.com', name: 'Ada' },
  properties: { order: 'A-17' },
  provider: 'smtp',
  published: AT,
  reason: "EQ('city', 'Lyon') => true",
  recipient: 'ada',
  recipient_id: 'ada',
  render_id: 'email-1',
  request_id: MESSAGE_ID,
  routing: { method: 'single', channels: ['email', 'sms'] },
  scope: 'user_id:ada read:messages',
  section_id: 'ps_orders',
  section_name: 'Orders',
  source: 'tidings',
  submission_id: '1772359200000',
  tag: 'orders',
  template_id: 'order-shipped',
  tenant_id: 'acme',
  timestamp: AT_ISO,
  title: 'Order shipped',
  token: 'dGhpcyBpcyBhIHRva2Vu',
  topic_id: 'order-updates',
  topic_name: 'Order updates',
  updated: AT,
  updated_at: AT_ISO,
  url: '/tenants',
  user_id: 'ada',
  version: 'v001',
};

/** Sample values that differ by resource, mostly `id`. */
const SAMPLES_OF: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  accounts: { id: 'acme', name: 'Acme' },
  'audit-events': { id: 'operator' },
  brands: { id: 'acme', brand_id: 'acme', name: 'Acme' },
  events: { id: 'nt_01kjm2v8qe5rw3n7t9yxb4c6da' },
  lists: { id: 'news.weekly', name: 'Weekly news' },
  messages: { id: MESSAGE_ID, status: 'DELIVERED' },
  notifications: { id: 'nt_01kjm2v8qe5rw3n7t9yxb4c6da', block_id: 'block_1', created_at: AT, updated_at: AT },
  preferences: { id: 'order-updates', name: 'Order updates' },
  profiles: { id: 'news.weekly', name: 'Weekly news' },
  providers: { id: '6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11', title: 'smtp' },
  'routing-strategies': { id: 'rs_01kjm2v8qe5rw3n7t9yxb4c6da', name: 'E-mail, then SMS' },
  tenants: { id: 'acme', name: 'Acme', version: 'v1' },
};

/** The sample value of a field (`message_id` or `messageId`) of one resource. */
export function sampleOf(resource: string, field: string) {
  const name = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return { ...SAMPLES, ...SAMPLES_OF[resource] }[name];
}

const SMTP = { provider: 'smtp', alias: 'office', settings: { host: 'mail.example.com', port: 587 } };

/** Request bodies by operation, where a generated one would not be useful. Those of a draft are the same as of what is published. */
export const BODIES: Readonly<Record<string, unknown>> = {
  'audience.audiences.put': { name: AUDIENCE.name, filter: AUDIENCE.filter },
  'audience.subscriptions.put': { preferences: { notifications: { 'order-updates': { status: 'OPTED_IN' } } } },
  'content.notification-blocks.replace': { blocks: [{ id: 'block_1', type: 'text', content: 'Your order has shipped.' }] },
  'content.notification-blocks.replaceLocales': {
    blocks: [{ id: 'block_1', locales: { fr_FR: { content: 'Votre commande est en route.' } } }],
  },
  'content.notification-blocks.replaceLocale': { blocks: [{ id: 'block_1', content: 'Votre commande est en route.' }] },
  'content.notification-blocks.translateChannel': { fr_FR: { subject: 'Votre commande' } },
  'content.notification-blocks.translateBlock': { fr_FR: 'Votre commande est en route.' },
  'content.notification-content.replace': { content: ELEMENTAL },
  'content.notification-content.replaceElement': { type: 'text', content: 'Your order has shipped.' },
  'content.notification-content.replaceLocale': { elements: [{ id: 'el_shipped', content: 'Votre commande est en route.' }] },
  'content.notifications.create': { notification: TEMPLATE, state: 'PUBLISHED' },
  'content.notifications.publish': { version: 'draft' },
  'content.notifications.replace': { notification: TEMPLATE },
  'content.previews.render': { template: 'order-shipped', data: { order: 'A-17' }, profile: { name: 'Ada' } },
  'content.tenant-templates.publish': { version: 'latest' },
  'content.tenant-templates.replace': { template: { content: ELEMENTAL }, published: true },
  'content.translations.replace': 'msgid "Hello"\nmsgstr "Bonjour"\n',
  'gateway.send.accept': {
    message: {
      to: { user_id: 'ada' },
      content: { title: 'Hello {name}', body: 'Your order **{order}** has shipped.' },
      data: { name: 'Ada', order: 'A-17' },
    },
  },
  'gateway.send.accept-for-lists': { list: 'news.weekly', event: 'order-shipped', data: { order: 'A-17' } },
  'identity.accounts.setUser': { profile: { email: 'ada@example.com' }, accounts: [{ account_id: 'acme' }] },
  'identity.profiles.patch': { patch: [{ op: 'replace', path: '/email', value: 'ada@example.org' }] },
  'identity.recipient-preferences.patch': { patch: [{ op: 'add', path: '/notifications/order-updates', value: { status: 'OPTED_OUT' } }] },
  'identity.recipient-preferences.replace': { notifications: { 'order-updates': { status: 'OPTED_OUT' } } },
  'identity.user-preferences.put': { topic: { status: 'OPTED_OUT' } },
  'identity.user-tenants.add': { profile: { email: 'ada@acme.example' } },
  'identity.user-tokens.patch': { patch: [{ op: 'replace', path: '/status', value: 'revoked' }] },
  'identity.user-tokens.put-many': { tokens: [{ token: 'dGhpcyBpcyBhIHRva2Vu', provider_key: 'firebase-fcm' }] },
  'messaging.bulk.add': { users: [{ recipient: 'ada', data: { name: 'Ada' } }, { profile: { email: 'bo@example.com' } }] },
  'messaging.bulk.create': { message: { event: 'invitation', data: { place: 'Rome' } } },
  'messaging.providers.change': { settings: { port: 465 } },
  'messaging.providers.create': SMTP,
  'messaging.providers.replace': SMTP,
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
