import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { problemOfToken } from '../credentials';
import { failed, type Outcome, refused, type RefusedToken, retry } from '../provider';
import { accepted, isSuccess } from '../vendor/classify';
import { pauseMs } from '../vendor/retry-after';
import { uuidOf } from '../vendor/uuid-of';
import { defineVendor, type VendorAnswer, type VendorMessage } from '../vendor/vendor';
import { ONESIGNAL_OPERATIONS } from './onesignal.operations';

const TOKENS_MAX = 2_000;
/** The words of a refusal of every subscription. */
const NOT_SUBSCRIBED = /not subscribed/i;
/** A wrong application has the status 400. */
const OF_CONFIGURATION = /app_id/i;

/** Push messages through OneSignal. */
export const onesignalKind = defineVendor({
  key: 'onesignal',
  channel: 'push',
  title: 'OneSignal',
  description: 'Sends push messages through OneSignal',
  setup: `_Settings_, _Keys & IDs_: copy _OneSignal App ID_ to \`app_id\`, and make an _App API Key_ for \`api_key\`.

Tokens of users have the \`provider_key\` \`onesignal\`: the id of the subscription, as OneSignal's SDK gives it to the
application. The first action of the content is the \`url\`. Other fields of a notification (\`big_picture\`,
\`ios_badgeType\` …) and texts in other languages are set by \`override.body\` of a send.

The message stays \`SENT\`: no receipts follow.`,
  example: { app_id: '3f0c1d52-…', api_key: 'os_v2_app_…' },
  fields: {
    app_id: { type: 'string', required: true, lengthMax: 64 },
    api_key: { type: 'string', required: true, lengthMax: 256, secret: true },
  },
  about: { app_id: 'the application', api_key: 'an API key of the application' },
  check: ({ app_id, api_key }) => [
    app_id !== undefined && !/^[0-9a-fA-F-]{36}$/.test(app_id) && ['app_id', 'must be the id of an application, a UUID'],
    problemOfToken('api_key', api_key),
  ],
  baseUrl: 'https://api.onesignal.com',
  operations: ONESIGNAL_OPERATIONS,
  limits: {},
  tokensPerCall: TOKENS_MAX,
  credentials: ({ api_key }) => ({ authorization: `Key ${api_key}` }),
  request({ rendered: { push }, recipient, attempt }, { app_id }) {
    const { title, body } = push;
    const { clickAction, ...data } = push.data;
    const text = body || title;
    if (!text) return failed('OneSignal accepts no message without a text', 'permanent');
    return {
      operation: ONESIGNAL_OPERATIONS.send,
      query: { c: 'push' },
      body: {
        app_id,
        include_subscription_ids: recipient.tokens.map(({ token }) => token),
        ...(title && body && { headings: { en: title } }),
        contents: { en: text },
        ...(Object.keys(data).length > 0 && { data }),
        ...(typeof clickAction === 'string' && { url: clickAction }),
        idempotency_key: uuidOf(attempt.idempotencyKey),
      },
    };
  },
  words: ({ errors }) => wordsOf(errors),
  read(answer, message) {
    const { id } = answer.json;
    const refusedTokens = refusedIn(answer, message);
    if (isSuccess(answer) && typeof id === 'string' && id !== '')
      return { ...accepted(id, false), ...(refusedTokens.length > 0 && { refusedTokens }) };
    return failureOf(answer, refusedTokens);
  },
  test: { request: ({ app_id }) => ({ operation: ONESIGNAL_OPERATIONS.list, query: { app_id, limit: '1' } }) },
});

function failureOf(answer: VendorAnswer, refusedTokens: readonly RefusedToken[]): Outcome | undefined {
  const { json, status, error, headers, retryAfterMs } = answer;
  // The header has no hyphen there.
  if (status === 429) return retry(error, { retryAfterMs: retryAfterMs ?? pauseMs(Number(headers.retryafter) * 1_000), outage: true });
  if (refusedTokens.length > 0) return refused(error, refusedTokens);
  // The body of an acceptance without an id, not one that cannot be read.
  if (isSuccess(answer)) return json.id === '' ? failed(error, 'permanent') : undefined;
  return status === 400 && OF_CONFIGURATION.test(error) ? failed(error, 'configuration') : undefined;
}

/** The refused ones of the sent subscriptions: those that are named, or all of them. */
function refusedIn({ json: { errors }, status }: VendorAnswer, { recipient: { tokens } }: VendorMessage<'push'>): RefusedToken[] {
  const named = isJsonObject(errors) ? namedIn(errors) : [];
  const areAll = Array.isArray(errors) && (status === 200 || status === 400) && errors.some((one) => NOT_SUBSCRIBED.test(String(one)));
  return tokens.filter(({ token }) => areAll || named.includes(token)).map(({ token }) => ({ token, outcome: 'revoked' }));
}

function namedIn({ invalid_player_ids, invalid_subscription_ids }: JsonObject): readonly unknown[] {
  return [invalid_player_ids, invalid_subscription_ids].flatMap((one) => (Array.isArray(one) ? (one as unknown[]) : []));
}

function wordsOf(errors: unknown) {
  if (Array.isArray(errors)) return errors.filter((one) => typeof one === 'string').join('; ');
  return isJsonObject(errors) ? Object.keys(errors).join(', ') : errors;
}
