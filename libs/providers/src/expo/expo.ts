import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { authorizationOf, problemOfToken } from '../credentials';
import { type Accepted, failed, type Outcome, type PushReceipt, refused, retry } from '../provider';
import { accepted, isSuccess } from '../vendor/classify';
import { objectsIn } from '../vendor/objects-in';
import { defineVendor, type VendorAnswer } from '../vendor/vendor';
import { EXPO_OPERATIONS } from './expo.operations';

/** Bytes of a message's texts and data, beyond which Apple and Google refuse it. */
const PAYLOAD_BYTES_MAX = 4_096;
/** A ticket that does not exist: the answer is without its receipt. */
const NO_TICKET = '00000000-0000-0000-0000-000000000000';

/** Push messages to applications made with Expo. */
export const expoKind = defineVendor({
  key: 'expo',
  channel: 'push',
  title: 'Expo',
  description: 'Sends push messages to applications made with Expo, through its push service',
  setup: `Nothing is needed where the project accepts messages of every sender. Better, require a token: _expo.dev_, the project,
_Credentials_, _Enhanced Security for Push Notifications_; make the token in _Account settings_, _Access tokens_, and
copy it to \`access_token\`. The credentials of Apple and Google are kept by Expo.

Tokens of users have the \`provider_key\` \`expo\`: \`ExponentPushToken[…]\`. Fields of a message (\`sound\`, \`badge\`,
\`channelId\` …) are set by \`override\` of a send, directly or in its \`body\`. Texts and data together have at most 4,096
bytes.

A message is \`SENT\` once Expo accepts it. After 15 minutes Tidings requests its receipt: then it is \`DELIVERED\`,
which means handed to Apple or Google, or \`UNDELIVERABLE\`, and the token of a device that is not registered any more
is revoked.`,
  example: { access_token: '…' },
  fields: { access_token: { type: 'string', required: false, lengthMax: 512, secret: true } },
  about: { access_token: 'token of an account that may send for the project' },
  check: ({ access_token }) => [problemOfToken('access_token', access_token)],
  baseUrl: 'https://exp.host/--/api/v2',
  operations: EXPO_OPERATIONS,
  limits: {},
  // Several in one call must be of the same project, and are refused together otherwise.
  tokensPerCall: 1,
  credentials: ({ access_token }) => authorizationOf('Bearer', access_token),
  overrideOf({ config, headers, url: _url, method: _method, body, ...fields }) {
    return { config, headers, body: isJsonObject(body) ? { ...fields, ...body } : { ...fields, ...(body !== undefined && { body }) } };
  },
  request({ rendered: { push }, recipient }) {
    const { title, body, data } = push;
    const bytes = Buffer.byteLength(JSON.stringify({ title, body, data }));
    if (bytes > PAYLOAD_BYTES_MAX)
      return failed(`Expo accepts ${PAYLOAD_BYTES_MAX} bytes of texts and data, the message has ${bytes}`, 'permanent');
    const { token } = recipient.tokens[0]!;
    return {
      operation: EXPO_OPERATIONS.send,
      body: [{ to: token, title, body, sound: 'default', ...(Object.keys(data).length > 0 && { data }) }],
    };
  },
  words: (json) => ticketIn(json)?.message ?? objectsIn(json.errors)[0]?.message,
  read(answer, { recipient }) {
    const ticket = isSuccess(answer) ? ticketIn(answer.json) : undefined;
    if (!ticket) return undefined;
    if (ticket.status === 'ok') return withTicket(accepted(ticket.id, false), recipient.tokens[0]!.token);
    return ticket.status === 'error' ? failureOf(answer, ticket, recipient.tokens[0]!.token) : undefined;
  },
  receipts: {
    request: (ids) => ({ operation: EXPO_OPERATIONS.receipts, body: { ids } }),
    read: ({ json: { data } }) =>
      new Map(
        Object.entries(isJsonObject(data) ? data : {}).flatMap(([id, receipt]) =>
          isJsonObject(receipt) ? [[id, toReceipt(receipt)] as const] : [],
        ),
      ),
  },
  test: { request: () => ({ operation: EXPO_OPERATIONS.receipts, body: { ids: [NO_TICKET] } }) },
});

function withTicket(outcome: Accepted, token: string): Accepted {
  const { id } = outcome.reference;
  return id === undefined ? outcome : { ...outcome, tickets: [{ id, token }] };
}

function toReceipt({ status, message, details }: JsonObject): PushReceipt {
  if (status === 'ok') return { kind: 'delivered' };
  const code = codeIn(details);
  const error = typeof message === 'string' ? message : 'Expo did not say why';
  return { kind: 'failed', error, code, isRevoked: code === 'DeviceNotRegistered' };
}

function codeIn(details: unknown) {
  return isJsonObject(details) && typeof details.error === 'string' ? details.error.slice(0, 100) : undefined;
}

function failureOf({ error, retryAfterMs }: VendorAnswer, { details }: JsonObject, token: string): Outcome {
  const code = codeIn(details);
  if (code === 'DeviceNotRegistered') return refused(error, [{ token, outcome: 'revoked', code }]);
  // The limit of one device is no outage.
  return code === 'MessageRateExceeded' ? retry(error, { retryAfterMs }) : failed(error, 'permanent');
}

/** The only ticket: for a message that is no array, Expo answers with the ticket itself. */
function ticketIn({ data }: JsonObject): JsonObject | undefined {
  const [first] = Array.isArray(data) ? (data as unknown[]) : [data];
  return isJsonObject(first) ? first : undefined;
}
