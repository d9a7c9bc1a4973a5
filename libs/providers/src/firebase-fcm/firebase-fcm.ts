import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { failed, type Outcome, refused, type RefusedToken, retry } from '../provider';
import { AccessTokens, tokenSigner } from '../vendor/access-tokens';
import { accepted, isSuccess } from '../vendor/classify';
import { objectsIn } from '../vendor/objects-in';
import { defineVendor, type VendorAnswer } from '../vendor/vendor';
import { FCM_OPERATIONS } from './firebase-fcm.operations';
import { parseServiceAccount, SERVICE_ACCOUNT, tokenSourceOf } from './service-account';

const NAME = 'Firebase Cloud Messaging';
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
/** Bytes of the texts and the data of a message, keys and values. */
const PAYLOAD_BYTES_MAX = 4_096;
/** Pause after a 429 without a `Retry-After`. */
const QUOTA_MS = 60_000;
/** Keys of data that are Google's own: a message with one of them would be refused. */
const RESERVED_KEY = /^(?:from$|message_type$|google|gcm)/;

/** Push messages to Android, Apple and web applications that use Firebase. */
export const firebaseFcmKind = defineVendor({
  key: 'firebase-fcm',
  channel: 'push',
  title: NAME,
  description: 'Sends push messages through Firebase Cloud Messaging, by its HTTP v1 interface',
  setup: `1. Enable the _Firebase Cloud Messaging API (V1)_: [Firebase console](https://console.firebase.google.com),
   _Project settings_, _Cloud Messaging_.
2. Make a key: _Project settings_, _Service accounts_, _Generate new private key_. Its file is a JSON object; the whole
   text of it is \`service_account\`. The account needs the role _Firebase Cloud Messaging API Admin_.

\`override.body\` of a send changes the \`message\` of the request: \`{"android": {"priority": "HIGH"}}\`. Data of
a message is sent as texts, other values as JSON. Keys that Google reserves are left out: \`from\`, \`message_type\`, and
those that begin with \`google\` or \`gcm\`. Texts and data together have at most 4,096 bytes, keys included.

The message stays \`SENT\`: no receipts follow.`,
  example: {
    service_account: '{"project_id": "example", "client_email": "push@example.iam.gserviceaccount.com", "private_key": "…"}',
  },
  fields: {
    service_account: { type: 'string', required: true, lengthMax: 8_192, secret: true },
    project_id: { type: 'string', required: false, lengthMax: 64 },
  },
  about: {
    service_account: 'text of the JSON file of a service account key',
    project_id: 'project of the application, where it is not that of the service account',
  },
  check: ({ service_account, project_id }) => [
    service_account !== undefined && !parseServiceAccount(service_account) && ['service_account', `must be ${SERVICE_ACCOUNT}`],
    project_id !== undefined &&
      !/^[A-Za-z0-9:.-]+$/.test(project_id) && ['project_id', 'must be the id of a project: letters, digits and hyphens'],
  ],
  settingsOf({ service_account, project_id }) {
    const account = parseServiceAccount(service_account)!;
    return { account, project: project_id ?? account.projectId };
  },
  baseUrl: 'https://fcm.googleapis.com',
  operations: FCM_OPERATIONS,
  limits: {},
  tokensPerCall: 1,
  signer({ account }, { transport, now }) {
    const tokens = new AccessTokens(tokenSourceOf(account, NAME, SCOPE), transport, now);
    return tokenSigner(tokens, (answer) => answer.status === 401 && errorCodeOf(answer) === undefined);
  },
  request({ rendered: { push }, recipient }, { project }) {
    const { title, body } = push;
    const data = textsOf(push.data);
    const bytes = bytesOf({ title, body }) + bytesOf(data);
    if (bytes > PAYLOAD_BYTES_MAX)
      return failed(`${NAME} accepts ${PAYLOAD_BYTES_MAX} bytes of texts and data, the message has ${bytes}`, 'permanent');
    const { token } = recipient.tokens[0]!;
    return {
      operation: FCM_OPERATIONS.send,
      parameters: { project },
      overridden: 'message',
      body: { message: { token, notification: { title, body }, ...(Object.keys(data).length > 0 && { data }) } },
    };
  },
  words: ({ error }) => isJsonObject(error) && error.message,
  read: (answer, { recipient }) => (isSuccess(answer) ? accepted(answer.json.name, false) : failureOf(answer, recipient.tokens[0]!.token)),
  test: {
    request: ({ project }) => ({
      operation: FCM_OPERATIONS.send,
      parameters: { project },
      body: { validateOnly: true, message: { topic: 'tidings-test', notification: { title: 'Test', body: 'Test' } } },
    }),
  },
});

/** The failure by Firebase's own code. */
function failureOf(answer: VendorAnswer, token: string): Outcome | undefined {
  const { error, status, retryAfterMs } = answer;
  const code = errorCodeOf(answer);
  const refusal = (outcome: RefusedToken['outcome']) => refused(error, [{ token, outcome, code }]);
  switch (code) {
    case 'UNREGISTERED':
      return refusal('revoked');
    case 'SENDER_ID_MISMATCH':
      return refusal('suspicious');
    case 'INVALID_ARGUMENT':
      return namesToken(answer) ? refusal('suspicious') : failed(error, 'permanent');
    case 'THIRD_PARTY_AUTH_ERROR':
      return failed(error, 'configuration');
    default:
      return status === 429 ? retry(error, { retryAfterMs: retryAfterMs ?? QUOTA_MS, outage: true }) : undefined;
  }
}

/** `UNREGISTERED`, …; undefined for an error that is none of Firebase Cloud Messaging, such as an expired access token. */
function errorCodeOf(answer: VendorAnswer) {
  const code = detailsOf(answer).find(({ errorCode }) => errorCode !== undefined)?.errorCode;
  return typeof code === 'string' ? code.slice(0, 100) : undefined;
}

/** Whether the invalid argument is the token: by the fields that the answer names, else by its words. */
function namesToken(answer: VendorAnswer) {
  const fields = detailsOf(answer).flatMap(({ fieldViolations }) => (Array.isArray(fieldViolations) ? (fieldViolations as unknown[]) : []));
  if (fields.length === 0) return /registration token/i.test(answer.error);
  return fields.every((one) => isJsonObject(one) && one.field === 'message.token');
}

function detailsOf({ json: { error } }: VendorAnswer): readonly JsonObject[] {
  return isJsonObject(error) ? objectsIn(error.details) : [];
}

function textsOf(data: Readonly<JsonObject>): Record<string, string> {
  const given = Object.entries(data).filter(([key, value]) => value !== null && value !== undefined && !RESERVED_KEY.test(key));
  return Object.fromEntries(given.map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]));
}

function bytesOf(texts: Readonly<Record<string, string>>) {
  return Object.entries(texts).reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
}
