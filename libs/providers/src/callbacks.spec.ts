import { createHash } from 'node:crypto';
import { createSigner } from 'fast-jwt';
import { callbackProof, callbackRequest } from './callback/callback.fixture';
import { CALLBACK_KINDS, callbackOf } from './callbacks';
import { VENDOR_KINDS } from './kinds';

const DELIVERY = '1-69a40ce0-5f2b9c01d3e84a7766aa10fe.0';
const NOW = Date.parse('2026-03-01T10:00:05Z');
const AT = Date.parse('2026-03-01T10:00:00Z');
const SECONDS = AT / 1_000;
const ISO = '2026-03-01T10:00:00Z';
const ADA = 'ada@example.com';
const NUMBER = '4915123456789';

const sendgrid = (event: object) => [
  { email: ADA, timestamp: SECONDS, sg_event_id: 'e', sg_message_id: 'r.filter-1', tidings_delivery: DELIVERY, ...event },
];
const mailgun = (event: object) => ({
  signature: { token: 'e', timestamp: String(SECONDS), signature: 's' },
  'event-data': {
    timestamp: SECONDS,
    recipient: ADA,
    message: { headers: { 'message-id': 'r' } },
    'user-variables': { tidings_delivery: DELIVERY },
    ...event,
  },
});
const postmark = (event: object) => ({ MessageID: 'r', Metadata: { tidings_delivery: DELIVERY }, Recipient: ADA, ...event });
const resend = (type: string, data: object = {}) => ({
  type: `email.${type}`,
  created_at: ISO,
  data: { email_id: 'r', tags: { tidings_delivery: DELIVERY.replace('.', '_') }, ...data },
});
const ses = (event: object) => ({
  Type: 'Notification',
  MessageId: 'e',
  Message: JSON.stringify({ mail: { messageId: 'r', tags: { tidings_delivery: [DELIVERY.replace('.', '_')] } }, ...event }),
});
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const twilio = (status: string, code?: string) =>
  form({ MessageSid: 'r', MessageStatus: status, To: `+${NUMBER}`, ...(code && { ErrorCode: code }) });
const vonage = (status: string, code = '0') =>
  form({ messageId: 'r', status, 'err-code': code, 'client-ref': DELIVERY, msisdn: NUMBER, 'message-timestamp': '2026-03-01 10:00:00' });
const whatsapp = (status: object) => ({
  entry: [{ changes: [{ value: { statuses: [{ id: 'r', timestamp: String(SECONDS), recipient_id: NUMBER, ...status }] } }] }],
});

const DELIVERED = { kind: 'DELIVERED' };
const HARD = { kind: 'BOUNCED', reasonCode: 'HARD' };
const SOFT = { kind: 'BOUNCED', reasonCode: 'SOFT' };
const FAILED = { kind: 'FAILED' };
const OPTED_OUT = { kind: 'FAILED', optedOut: true };
const [OPENED, COMPLAINED, UNSUBSCRIBED] = [{ kind: 'OPENED' }, { kind: 'COMPLAINED' }, { kind: 'UNSUBSCRIBED' }];
const clicked = (url: string) => ({ kind: 'CLICKED', url });
const LINK = 'https://shop.example.com/';

it.each([
  ['sendgrid', 'delivered', sendgrid({ event: 'delivered' }), DELIVERED],
  [
    'sendgrid',
    'a bounce',
    sendgrid({ event: 'bounce', type: 'bounce', reason: '550 no', status: '5.1.1' }),
    { ...HARD, details: '550 no', code: '5.1.1' },
  ],
  ['sendgrid', 'a block', sendgrid({ event: 'bounce', type: 'blocked' }), SOFT],
  ['sendgrid', 'dropped after a bounce', sendgrid({ event: 'dropped', reason: 'Bounced Address' }), HARD],
  ['sendgrid', 'dropped as invalid', sendgrid({ event: 'dropped', reason: 'Invalid' }), HARD],
  ['sendgrid', 'dropped after an unsubscribe', sendgrid({ event: 'dropped', reason: 'Unsubscribed Address' }), OPTED_OUT],
  ['sendgrid', 'dropped after a complaint', sendgrid({ event: 'dropped', reason: 'Spam Reporting Address' }), FAILED],
  ['sendgrid', 'opened', sendgrid({ event: 'open' }), OPENED],
  ['sendgrid', 'opened by a program', sendgrid({ event: 'open', sg_machine_open: true }), undefined],
  ['sendgrid', 'clicked', sendgrid({ event: 'click', url: LINK }), clicked(LINK)],
  ['sendgrid', 'a complaint', sendgrid({ event: 'spamreport' }), COMPLAINED],
  ['sendgrid', 'unsubscribed', sendgrid({ event: 'group_unsubscribe' }), UNSUBSCRIBED],
  ['sendgrid', 'deferred', sendgrid({ event: 'deferred' }), undefined],
  ['mailgun', 'delivered', mailgun({ event: 'delivered' }), DELIVERED],
  [
    'mailgun',
    'failed',
    mailgun({ event: 'failed', severity: 'permanent', 'delivery-status': { code: 550, message: 'no' } }),
    { ...HARD, code: 550, details: 'no' },
  ],
  ['mailgun', 'failed for now', mailgun({ event: 'failed', severity: 'temporary' }), undefined],
  ['mailgun', 'suppressed', mailgun({ event: 'failed', severity: 'permanent', reason: 'suppress-bounce' }), HARD],
  ['mailgun', 'opted out', mailgun({ event: 'failed', severity: 'permanent', reason: 'suppress-unsubscribe' }), OPTED_OUT],
  ['mailgun', 'rejected', mailgun({ event: 'rejected' }), FAILED],
  ['mailgun', 'opened', mailgun({ event: 'opened' }), OPENED],
  ['mailgun', 'clicked', mailgun({ event: 'clicked', url: LINK }), clicked(LINK)],
  ['mailgun', 'a complaint', mailgun({ event: 'complained' }), COMPLAINED],
  ['mailgun', 'unsubscribed', mailgun({ event: 'unsubscribed' }), UNSUBSCRIBED],
  ['mailgun', 'accepted', mailgun({ event: 'accepted' }), undefined],
  ['postmark', 'delivered', postmark({ RecordType: 'Delivery', DeliveredAt: ISO }), DELIVERED],
  [
    'postmark',
    'a bounce',
    postmark({ RecordType: 'Bounce', Type: 'HardBounce', BouncedAt: ISO, Details: '550 no' }),
    { ...HARD, details: '550 no', code: 'HardBounce' },
  ],
  ['postmark', 'a soft bounce', postmark({ RecordType: 'Bounce', Type: 'SoftBounce', BouncedAt: ISO }), SOFT],
  ['postmark', 'an automatic answer', postmark({ RecordType: 'Bounce', Type: 'AutoResponder', BouncedAt: ISO }), undefined],
  ['postmark', 'a complaint', postmark({ RecordType: 'SpamComplaint', BouncedAt: ISO }), COMPLAINED],
  ['postmark', 'opened', postmark({ RecordType: 'Open', ReceivedAt: ISO }), OPENED],
  ['postmark', 'clicked', postmark({ RecordType: 'Click', ReceivedAt: ISO, OriginalLink: LINK }), clicked(LINK)],
  [
    'postmark',
    'unsubscribed',
    postmark({ RecordType: 'SubscriptionChange', ChangedAt: ISO, SuppressSending: true, SuppressionReason: 'ManualSuppression' }),
    UNSUBSCRIBED,
  ],
  ['postmark', 'subscribed again', postmark({ RecordType: 'SubscriptionChange', ChangedAt: ISO, SuppressSending: false }), undefined],
  ['resend', 'delivered', resend('delivered'), DELIVERED],
  [
    'resend',
    'a bounce',
    resend('bounced', { bounce: { type: 'Permanent', message: 'no', subType: 'General' } }),
    { ...HARD, details: 'no', code: 'General' },
  ],
  ['resend', 'a soft bounce', resend('bounced', { bounce: { type: 'Transient' } }), SOFT],
  ['resend', 'failed', resend('failed', { failed: { reason: 'quota' } }), { ...FAILED, details: 'quota' }],
  ['resend', 'suppressed', resend('suppressed', { suppressed: { reason: 'previous_bounce', message: 'no' } }), HARD],
  ['resend', 'opted out', resend('suppressed', { suppressed: { reason: 'previous_complaint' } }), OPTED_OUT],
  ['resend', 'opened', resend('opened'), OPENED],
  ['resend', 'clicked', resend('clicked', { click: { link: LINK } }), clicked(LINK)],
  ['resend', 'a complaint', resend('complained'), COMPLAINED],
  ['resend', 'delayed', resend('delivery_delayed'), undefined],
  ['aws-ses', 'delivered', ses({ eventType: 'Delivery', delivery: { recipients: [ADA], timestamp: ISO } }), DELIVERED],
  [
    'aws-ses',
    'a bounce',
    ses({
      eventType: 'Bounce',
      bounce: {
        bounceType: 'Permanent',
        timestamp: ISO,
        bouncedRecipients: [{ emailAddress: ADA, diagnosticCode: '550 no', status: '5.1.1' }],
      },
    }),
    { ...HARD, details: '550 no', code: '5.1.1' },
  ],
  [
    'aws-ses',
    'a soft bounce',
    ses({ eventType: 'Bounce', bounce: { bounceType: 'Transient', timestamp: ISO, bouncedRecipients: [{ emailAddress: ADA }] } }),
    SOFT,
  ],
  [
    'aws-ses',
    'suppressed',
    ses({
      eventType: 'Bounce',
      bounce: {
        bounceType: 'Transient',
        bounceSubType: 'OnAccountSuppressionList',
        timestamp: ISO,
        bouncedRecipients: [{ emailAddress: ADA }],
      },
    }),
    HARD,
  ],
  [
    'aws-ses',
    'a complaint',
    ses({ eventType: 'Complaint', complaint: { timestamp: ISO, complainedRecipients: [{ emailAddress: ADA }] } }),
    COMPLAINED,
  ],
  ['aws-ses', 'opened', ses({ eventType: 'Open', open: { timestamp: ISO } }), OPENED],
  ['aws-ses', 'clicked', ses({ eventType: 'Click', click: { timestamp: ISO, link: LINK } }), clicked(LINK)],
  [
    'aws-ses',
    'unsubscribed',
    ses({ eventType: 'Subscription', subscription: { timestamp: ISO, newTopicPreferences: { unsubscribeAll: true } } }),
    UNSUBSCRIBED,
  ],
  ['aws-ses', 'sent', ses({ eventType: 'Send', send: {} }), undefined],
  [
    'aws-ses',
    'the first message of a subscription',
    { Type: 'Notification', MessageId: 'e', Message: 'Successfully validated' },
    undefined,
  ],
  ['twilio', 'delivered', twilio('delivered'), DELIVERED],
  ['twilio', 'read', twilio('read'), OPENED],
  ['twilio', 'unreachable', twilio('undelivered', '30003'), { ...SOFT, code: '30003' }],
  ['twilio', 'an unknown number', twilio('undelivered', '30005'), HARD],
  ['twilio', 'a landline', twilio('failed', '30006'), HARD],
  ['twilio', 'filtered', twilio('undelivered', '30007'), FAILED],
  ['twilio', 'canceled', twilio('canceled'), FAILED],
  ['twilio', 'sent', twilio('sent'), undefined],
  ['vonage', 'delivered', vonage('delivered'), DELIVERED],
  ['vonage', 'an absent number', vonage('failed', '3'), HARD],
  ['vonage', 'a full handset', vonage('expired', '2'), SOFT],
  ['vonage', 'refused', vonage('rejected', '5'), FAILED],
  ['vonage', 'buffered', vonage('buffered'), undefined],
  ['whatsapp', 'delivered', whatsapp({ status: 'delivered' }), DELIVERED],
  ['whatsapp', 'read', whatsapp({ status: 'read' }), OPENED],
  [
    'whatsapp',
    'no such user',
    whatsapp({ status: 'failed', errors: [{ code: 131026, title: 'Undeliverable' }] }),
    { ...HARD, details: 'Undeliverable', code: 131026 },
  ],
  ['whatsapp', 'failed', whatsapp({ status: 'failed', errors: [{ code: 131047 }] }), FAILED],
  ['whatsapp', 'sent', whatsapp({ status: 'sent' }), undefined],
] as const)('%s reports: %s', (kind, _what, body: string | object, expected) => {
  const headers = {
    'svix-id': 'e',
    ...(kind === 'twilio' || kind === 'vonage' ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
  };
  const url = `https://notify.example.com/providers/callback/${kind}/prv_1/s${kind === 'twilio' ? `?delivery=${DELIVERY}` : ''}`;

  const events = callbackOf(kind)!.parse(callbackRequest(body, { headers, url }), NOW);

  if (expected === undefined) return expect(events).toEqual([]);
  expect(events).toHaveLength(1);
  const [event] = events;
  expect(event).toMatchObject(expected);
  // The statuses of WhatsApp name its own id alone.
  if (kind !== 'whatsapp') expect(String(event!.delivery).replace('_', '.')).toBe(DELIVERY);
  expect(event!.reference).toBe('r');
  expect([AT, NOW]).toContain(event!.atMs);
  expect(event!.eventId).not.toBe('');
});

it.each([
  ['delivered', undefined, DELIVERED],
  ['delivery_failed', '1', HARD],
  ['delivery_failed', '5', FAILED],
  ['expired', undefined, SOFT],
  ['buffered', undefined, undefined],
])('messagebird reports: %s %s', (status, code, expected) => {
  const query = form({
    id: 'r',
    reference: DELIVERY,
    recipient: NUMBER,
    status,
    statusDatetime: ISO,
    ...(code && { statusErrorCode: code }),
  });
  const url = `https://notify.example.com/providers/callback/messagebird/prv_1/s?${query}`;

  const events = callbackOf('messagebird')!.parse(callbackRequest('', { method: 'GET', url }), NOW);

  const reported = expected ? [expect.objectContaining({ ...expected, delivery: DELIVERY, reference: 'r', atMs: AT })] : [];
  expect(events).toEqual(reported);
  const address = 'https://notify.example.com/providers/callback/messagebird/prv_1/s';
  const json = JSON.stringify(Object.fromEntries(new URLSearchParams(query)));
  for (const [type, body] of [
    ['application/x-www-form-urlencoded', query],
    ['application/json', json],
  ] as const) {
    const posted = callbackRequest(body, { url: address, headers: { 'content-type': type } });
    expect(callbackOf('messagebird')!.parse(posted, NOW)).toEqual(reported);
  }
});

describe('a receipt of Vonage with a token', () => {
  const KEY = 'the signature secret of the account';
  const body = JSON.stringify({ messageId: 'r', status: 'delivered' });
  interface Changes {
    key?: string;
    method?: 'GET' | 'POST';
    content?: string;
  }
  const verify = (claims: object, { key = KEY, method = 'POST', content = body }: Changes = {}) => {
    const payload_hash = createHash('sha256').update(body).digest('hex');
    const token = createSigner({ key, algorithm: 'HS256' })({ iat: SECONDS, jti: 'a', api_key: 'abcd1234', payload_hash, ...claims });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const proof = callbackProof({ signature_secret: KEY, api_key: 'abcd1234' }, { nowMs: NOW });
    const url = `https://notify.example.com/providers/callback/vonage/prv_1/s?messageId=r&status=delivered`;
    const request =
      method === 'POST'
        ? callbackRequest(content, { headers })
        : callbackRequest('', { method, url, headers: { ...headers, 'content-type': '' } });
    return callbackOf('vonage')!.verify(request, proof);
  };

  it('is verified', () => {
    expect(verify({})).toBeUndefined();
  });

  it.each<[what: string, claims: object, changes: Changes, refusal: string]>([
    ['another secret', {}, { key: 'another secret of the same length' }, 'Its signature is wrong'],
    ['another account', { api_key: 'other' }, {}, 'Its signature is wrong'],
    ['another body', {}, { content: '{"messageId":"r","status":"failed"}' }, 'Its body is another one than the signed one'],
    ['fields that are not signed', {}, { method: 'GET' }, 'Its body is another one than the signed one'],
    ['an old time', { iat: SECONDS - 600 }, {}, 'Its time is more than 5 minutes ago'],
  ])('is refused with %s', (_what, claims, changes, refusal) => {
    expect(verify(claims, changes)).toBe(refusal);
  });
});

it.each(CALLBACK_KINDS.filter((kind) => kind !== 'messagebird' && kind !== 'twilio' && kind !== 'vonage'))(
  '%s refuses a body that is no JSON',
  (kind) => {
    expect(() => callbackOf(kind)!.parse(callbackRequest('{'), NOW)).toThrow('The body is not valid JSON');
  },
);

it('answers the check of an address by Meta, where its token is the secret of the address', async () => {
  const whatsappCallback = callbackOf('whatsapp')!;
  const check = (token: string) =>
    callbackRequest('', { method: 'GET', url: `https://a.example/x?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=42` });
  const proof = { settings: {}, secret: 'the-secret', nowMs: NOW, get: () => Promise.reject(new Error('not reachable')) };

  expect(await whatsappCallback.verify(check('the-secret'), proof)).toBeUndefined();
  expect(await whatsappCallback.answer!(check('the-secret'), proof)).toBe('42');
  expect(await whatsappCallback.verify(check('other'), proof)).toBe('Its verify token is wrong');
});

it('knows the callbacks that the definitions of the vendors have, with settings that exist', () => {
  const defined = VENDOR_KINDS.filter(({ page }) => page.callback);

  expect(defined.map(({ key }) => key).sort()).toEqual([...CALLBACK_KINDS].sort());
  for (const { key, fields, page } of defined) {
    expect(callbackOf(key)).toBe(page.callback);
    expect(Object.keys(fields)).toEqual(expect.arrayContaining([...page.callback!.settings]));
  }
});
