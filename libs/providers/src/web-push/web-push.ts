import { createHash } from 'node:crypto';
import { invalid } from '@tidings/contracts/core/refusals';
import { failed, type Outcome, refused } from '../provider';
import { accepted, isSuccess } from '../vendor/classify';
import { defineVendor, type VendorAnswer, type VendorMessage } from '../vendor/vendor';
import { encrypt, PLAINTEXT_BYTES_MAX } from './encrypt';
import { isAtService, parseSubscription, type Subscription } from './subscription';
import { problemOfKeys, VapidTokens } from './vapid';
import { WEB_PUSH_OPERATIONS } from './web-push.operations';

const TTL_S = 28 * 86_400;
const TOPIC_CHARS = 32;
/** The subscription was made with another public key. */
const FOREIGN_KEY = /do not correspond|mismatch|not match/i;
const URGENCIES = ['very-low', 'low', 'normal', 'high'] as const;

/** Web Push: notifications of web sites, through the service of each browser. */
export const webPushKind = defineVendor({
  key: 'web-push',
  channel: 'push',
  title: 'Web Push',
  description: 'Sends push messages to browsers, through the services of their makers',
  setup: `1. Make the keys of your site once, and keep them: browsers accept messages of these keys alone.

   \`\`\`sh
   node -e 'const e = crypto.createECDH("prime256v1"); e.generateKeys();
     console.log({ public_key: e.getPublicKey("base64url"), private_key: e.getPrivateKey("base64url") })'
   \`\`\`

2. In the site: \`registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: public_key })\`.
3. Store the subscription as a token of the user with the \`provider_key\` \`web-push\`: \`PUT /users/:user_id/tokens\`, the
   \`token\` is the text \`JSON.stringify(subscription)\`.

The service worker gets JSON: \`{"title": "…", "body": "…", "data": {…}}\`, at most 3,993 bytes; \`override.body\` of a
send is merged over it. The message stays \`SENT\`: services report no deliveries. Endpoints must be https and
[public](../providers.md#which-addresses-providers-may-connect-to).`,
  example: { subject: 'mailto:push@example.com', public_key: 'BNc…', private_key: '…' },
  fields: {
    subject: { type: 'string', required: true, lengthMax: 512 },
    public_key: { type: 'string', required: true, lengthMax: 128 },
    private_key: { type: 'string', required: true, lengthMax: 128, secret: true },
    ttl: { type: 'number', required: false, min: 0, max: TTL_S },
    urgency: { type: 'enum', required: false, values: URGENCIES },
  },
  about: {
    subject: 'whom services ask about the messages: `mailto:` and an e-mail address, or an https page',
    public_key: 'public key of the site, base64url',
    private_key: 'its private key, base64url',
    ttl: 'seconds that a service keeps a message for a browser that is offline; default 28 days',
    urgency: 'default `normal`; on battery some browsers show urgent messages alone',
    base_url: 'a relay, which gets the messages to every service; a new one needs the secrets again',
  },
  overridable: ['urgency'],
  check: ({ subject, public_key: publicKey, private_key: privateKey }) => {
    const wrong = publicKey !== undefined && privateKey !== undefined && problemOfKeys({ publicKey, privateKey });
    return [
      subject !== undefined &&
        !/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(subject) && [
          'subject',
          'must be mailto: and an e-mail address, or an https URL',
        ],
      wrong === 'publicKey' && ['public_key', 'must be a public key on the curve P-256, 65 bytes in base64url'],
      wrong === 'privateKey' && ['private_key', 'must be a private key on the curve P-256, 32 bytes in base64url'],
      wrong === 'pair' && ['private_key', 'is not that of settings.public_key'],
    ];
  },
  settingsOf: ({ subject, public_key: publicKey, private_key: privateKey, ttl = TTL_S, urgency }) => ({
    subject,
    keys: { publicKey, privateKey },
    ttl,
    urgency,
  }),
  // The endpoint of each subscription. Configured, it replaces their origins: a relay.
  baseUrl: () => '',
  hostOf: () => undefined,
  operations: WEB_PUSH_OPERATIONS,
  limits: {},
  tokensPerCall: 1,
  signer({ subject, keys }, { now }) {
    const tokens = new VapidTokens(keys, subject, now);
    return { headersOf: ({ audience = '' }) => ({ authorization: tokens.of(audience) }) };
  },
  request({ rendered: { push }, recipient, attempt }, { ttl, urgency }) {
    const { token } = recipient.tokens[0]!;
    const subscription = parseSubscription(token);
    if (!subscription)
      return refused('The token is no subscription of a browser with an https endpoint', [
        { token, outcome: 'revoked', code: 'InvalidSubscription' },
      ]);
    const { endpoint } = subscription;
    const { title, body, data } = push;
    return {
      operation: WEB_PUSH_OPERATIONS.send,
      baseUrl: endpoint.origin,
      parameters: { endpoint: `${endpoint.pathname}${endpoint.search}`.slice(1) },
      headers: {
        'content-encoding': 'aes128gcm',
        ttl: String(ttl),
        topic: topicOf(attempt.idempotencyKey),
        ...(urgency !== undefined && { urgency }),
      },
      audience: endpoint.origin,
      body: { title, body, data },
      seal: (text) => sealed(text, subscription),
      isRecipients: !isAtService(endpoint),
    };
  },
  words: ({ message, reason }) => message ?? reason,
  read(answer, message) {
    return isSuccess(answer) ? accepted(answer.headers.location, false) : failureOf(answer, message);
  },
  test: 'Web Push cannot be tested without the subscription of a browser',
});

/** @throws ServiceError when the text is too long. */
function sealed(text: string, subscription: Subscription) {
  const bytes = Buffer.from(text);
  if (bytes.length > PLAINTEXT_BYTES_MAX)
    throw invalid(`Web Push accepts ${PLAINTEXT_BYTES_MAX} bytes of texts and data, the message has ${bytes.length}`);
  return encrypt(bytes, subscription);
}

/** A message that was not fetched yet is replaced by one of the same topic: its own repeat. */
function topicOf(key: string) {
  return createHash('sha256').update(key).digest('base64url').slice(0, TOPIC_CHARS);
}

function failureOf({ status, error, body }: VendorAnswer, { recipient }: VendorMessage<'push'>): Outcome | undefined {
  const { token } = recipient.tokens[0]!;
  if (status === 404 || status === 410) return refused(error, [{ token, outcome: 'revoked', code: String(status) }]);
  if (status !== 400 && status !== 401 && status !== 403) return undefined;
  if (FOREIGN_KEY.test(body)) return refused(error, [{ token, outcome: 'suspicious', code: 'ForeignKey' }]);
  return failed(error, 'configuration');
}
