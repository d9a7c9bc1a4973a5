import { type Outcome, refused, retry } from '../provider';
import { accepted } from '../vendor/classify';
import { uuidOf } from '../vendor/uuid-of';
import { defineVendor, type VendorAnswer } from '../vendor/vendor';
import { APN_OPERATIONS } from './apn.operations';
import { Http2Transport } from './http2-transport';
import { APNS_KEY, isApnsKey, ProviderToken } from './provider-token';

const NAME = 'Apple Push Notification service';
const HOSTS = { production: 'https://api.push.apple.com', sandbox: 'https://api.sandbox.push.apple.com' } as const;
const PAYLOAD_BYTES_MAX = 4_096;
const CODE_LENGTH_MAX = 100;
/** No device has it: with a good key, Apple refuses only the token. */
const IMPOSSIBLE_TOKEN = '0'.repeat(64);
const ID = /^[A-Z0-9]{10}$/;

/** Push messages to iPhone, iPad, Mac, Apple Watch and Apple TV. */
export const apnKind = defineVendor({
  key: 'apn',
  channel: 'push',
  title: NAME,
  description: 'Sends push messages to Apple devices, over one HTTP/2 connection',
  setup: `1. Make a key with _Apple Push Notifications service (APNs)_:
   [Apple developer account](https://developer.apple.com/account/resources/authkeys/list), _Keys_. The text of its file
   \`AuthKey_<key id>.p8\` is \`key\`. Keys may be limited to one environment.
2. Find \`team_id\` under _Membership details_. \`topic\` is the bundle id of the application.
3. Choose the \`environment\`: \`sandbox\` for builds from Xcode, \`production\` for TestFlight and the App Store.

\`override.body\` of a send changes the payload: \`{"aps": {"sound": "default", "badge": 3}}\`. \`override.headers\` may
hold \`apns-collapse-id\`, \`apns-expiration\`, \`apns-priority\` and \`apns-push-type\`. With \`"silent": true\` in
\`override\` the message arrives in the background, without an alert.

The message stays \`SENT\`: no receipts follow. A token that Apple reports as unregistered (410) is revoked, unless its
device has registered it again since.`,
  example: {
    key: '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----',
    key_id: 'ABC123DEFG',
    team_id: 'DEF123GHIJ',
    topic: 'com.example.app',
  },
  fields: {
    key: { type: 'string', required: true, lengthMax: 4_096, secret: true },
    key_id: { type: 'string', required: true, lengthMax: 10 },
    team_id: { type: 'string', required: true, lengthMax: 10 },
    topic: { type: 'string', required: true, lengthMax: 255 },
    environment: { type: 'enum', required: false, values: ['production', 'sandbox'] },
  },
  about: {
    key: 'text of the .p8 file',
    key_id: 'id of the key',
    team_id: 'id of the team that the key belongs to',
    topic: 'bundle id of the application',
    environment: 'default `production`',
  },
  overridable: ['topic'],
  check: ({ key, key_id, team_id, topic }) => [
    key !== undefined && !isApnsKey(key) && ['key', `must be ${APNS_KEY}`],
    key_id !== undefined && !ID.test(key_id) && ['key_id', 'must be 10 capital letters and digits'],
    team_id !== undefined && !ID.test(team_id) && ['team_id', 'must be 10 capital letters and digits'],
    topic !== undefined && !/^[A-Za-z0-9.-]+$/.test(topic) && ['topic', 'must be a bundle id: letters, digits, dots and hyphens'],
  ],
  baseUrl: ({ environment }) => HOSTS[environment === 'sandbox' ? 'sandbox' : 'production'],
  operations: APN_OPERATIONS,
  limits: { requestBytes: PAYLOAD_BYTES_MAX },
  tokensPerCall: 1,
  transport: (options) => new Http2Transport(options),
  signer({ key, key_id, team_id }, { now }) {
    const token = new ProviderToken({ key, keyId: key_id, teamId: team_id }, now);
    return {
      headersOf: () => ({ authorization: `bearer ${token.text}` }),
      isExpired: (answer, { authorization = '' }) =>
        reasonOf(answer) === 'ExpiredProviderToken' && token.renew(authorization.slice('bearer '.length)),
    };
  },
  request({ rendered, recipient, attempt }, { topic }) {
    const { title, body, data } = rendered.push;
    const { token } = recipient.tokens[0]!;
    const isSilent = attempt.override?.silent === true;
    return {
      operation: APN_OPERATIONS.send,
      parameters: { token },
      headers: {
        'apns-topic': topic,
        'apns-push-type': isSilent ? 'background' : 'alert',
        'apns-priority': isSilent ? '5' : '10',
        'apns-id': uuidOf(`${attempt.idempotencyKey} ${token}`),
      },
      body: Object.assign({}, data, { aps: isSilent ? { 'content-available': 1 } : { alert: { title, body } } }),
    };
  },
  words: ({ reason }) => reason,
  read: (answer, { recipient }) =>
    answer.status === 200 ? accepted(answer.headers['apns-id'], false) : failureOf(answer, recipient.tokens[0]!.token),
  test: {
    request: ({ topic }) => ({
      operation: APN_OPERATIONS.send,
      parameters: { token: IMPOSSIBLE_TOKEN },
      headers: { 'apns-topic': topic, 'apns-push-type': 'background', 'apns-priority': '5' },
      body: { aps: { 'content-available': 1 } },
    }),
    read: (answer) => (reasonOf(answer) === 'BadDeviceToken' ? { ok: true } : undefined),
  },
});

/** The failure by Apple's reason. */
function failureOf(answer: VendorAnswer, token: string): Outcome | undefined {
  const { error, status, json, retryAfterMs, nowMs } = answer;
  const reason = reasonOf(answer);
  const code = reason?.slice(0, CODE_LENGTH_MAX);
  if (status === 410) {
    const { timestamp } = json;
    const at = typeof timestamp === 'number' && timestamp > 0 ? Math.min(Math.floor(timestamp), nowMs) : undefined;
    return refused(error, [{ token, outcome: 'revoked', code, at }]);
  }
  switch (reason) {
    case 'BadDeviceToken':
    case 'DeviceTokenNotForTopic':
      return refused(error, [{ token, outcome: 'suspicious', code }]);
    case 'IdleTimeout':
    case 'TooManyRequests':
      // The latter limits one device: others are reached.
      return retry(error, { retryAfterMs });
    default:
      return undefined;
  }
}

function reasonOf({ json: { reason } }: VendorAnswer) {
  return typeof reason === 'string' ? reason : undefined;
}
