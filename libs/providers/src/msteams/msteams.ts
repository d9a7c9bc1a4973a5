import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { isHttpUrl } from '@tidings/contracts/core/http-url';
import { problemOfToken } from '../credentials';
import { bounced, failed, type Outcome, retry } from '../provider';
import { AccessTokens, tokenSigner } from '../vendor/access-tokens';
import { accepted, isSuccess } from '../vendor/classify';
import { objectsIn } from '../vendor/objects-in';
import { defineVendor, type VendorAnswer, type VendorMessage } from '../vendor/vendor';
import { MSTEAMS_OPERATIONS } from './msteams.operations';
import { isServiceUrl, targetOf } from './target';

const NAME = 'Microsoft Teams';
const LOGIN_URL = 'https://login.microsoftonline.com';
/** The tenant that issues tokens to bots of several tenants. */
const TOKEN_TENANT = 'botframework.com';
const SCOPE = 'https://api.botframework.com/.default';
const REQUEST_BYTES_MAX = 28 * 1_024;
/** The person has blocked the bot. */
const BLOCKED = 'MessageWritesBlocked';
/** The bot may not write there: the application is not installed. */
const OF_MESSAGE = ['BotNotInConversationRoster', 'BotDisabledByAdmin', 'ForbiddenOperationException'];

interface Settings {
  readonly app_id: string;
  readonly app_password: string;
  readonly tenant_id: string | undefined;
  readonly login_url: string | undefined;
}

/** Microsoft Teams, by a bot. */
export const msteamsKind = defineVendor({
  key: 'msteams',
  channel: 'direct_message',
  title: NAME,
  description: 'Sends messages of a bot to people and channels in Microsoft Teams',
  setup: `1. Make an _Azure Bot_ (_portal.azure.com_) and add the channel _Microsoft Teams_. Copy _Microsoft App ID_ to
   \`app_id\`; make a secret, _Manage Password_, _Certificates & secrets_, and copy its value to \`app_password\`. For a
   bot of a single tenant copy _App Tenant ID_ to \`tenant_id\`.
2. Make a Teams application with this bot (_dev.teams.microsoft.com_) and install it: for people, or in teams.

A recipient has \`ms_teams\` in the profile, with \`user_id\` (\`29:…\`), \`channel_id\`, \`conversation_id\`, or
\`channel_name\` and \`team_id\`, used in this order; and \`tenant_id\`, unless the settings have it, and \`service_url\` where
that of the region differs. An e-mail address alone reaches no one: a bot cannot look it up. Content becomes an Adaptive
Card. Clouds of governments set \`base_url\` and \`login_url\`.`,
  example: { app_id: '3f0c1d52-…', app_password: '…', tenant_id: '72f988bf-…' },
  to: { ms_teams: { tenant_id: 'shop.example', channel_id: '19:4a95f7d8db4c4e7f@thread.tacv2' } },
  fields: {
    app_id: { type: 'string', required: true, lengthMax: 64 },
    app_password: { type: 'string', required: true, lengthMax: 256, secret: true },
    tenant_id: { type: 'string', required: false, lengthMax: 64 },
    login_url: { type: 'string', required: false, lengthMax: 2_048, destination: true },
  },
  about: {
    app_id: 'id of the application of the bot',
    app_password: 'value of its secret',
    tenant_id: 'tenant of the bot, and of recipients without one',
    login_url: `address of the token server, default \`${LOGIN_URL}\`; a new one needs the secrets again`,
  },
  check: ({ app_id, app_password, tenant_id, login_url }) => [
    app_id !== undefined && !isId(app_id) && ['app_id', 'must be an id: letters, digits and hyphens'],
    problemOfToken('app_password', app_password),
    tenant_id !== undefined && !isId(tenant_id) && ['tenant_id', 'must be the id or the domain of a tenant'],
    login_url !== undefined && !isHttpUrl(login_url) && ['login_url', 'must be an http or https URL'],
  ],
  baseUrl: 'https://smba.trafficmanager.net/teams',
  operations: MSTEAMS_OPERATIONS,
  limits: { requestBytes: REQUEST_BYTES_MAX },
  recipientOf: (recipient) => (recipient.channel === 'direct_message' && targetOf(recipient.ms_teams) ? recipient : undefined),
  needs: 'msteams needs profile.ms_teams with user_id, channel_id, conversation_id, or channel_name and team_id',
  signer(settings: Settings, { transport, now }) {
    const tokens = new AccessTokens({ name: NAME, url: tokenUrlOf(settings), form: () => tokenFormOf(settings) }, transport, now);
    return tokenSigner(tokens, ({ status }) => status === 401);
  },
  lookup({ recipient }, { app_id, tenant_id }) {
    const { user, conversation, channelName, teamId = '', tenant = tenant_id, serviceUrl } = targetOf(recipient.ms_teams) ?? {};
    if (conversation !== undefined || (serviceUrl !== undefined && !isServiceUrl(serviceUrl))) return undefined;
    const base = serviceUrl === undefined ? {} : { baseUrl: serviceUrl };
    if (user !== undefined) {
      if (tenant === undefined) return undefined;
      const body = {
        bot: { id: `28:${app_id}` },
        members: [{ id: user }],
        tenantId: tenant,
        isGroup: false,
        channelData: { tenant: { id: tenant } },
      };
      const read = (answer: VendorAnswer) => (typeof answer.json.id === 'string' ? answer.json.id : failureOf(answer));
      return { request: { operation: MSTEAMS_OPERATIONS.open, ...base, body }, cacheKey: `${tenant} ${user}`, read };
    }
    return {
      request: { operation: MSTEAMS_OPERATIONS.channels, ...base, parameters: { team_id: teamId } },
      cacheKey: `${teamId}#${channelName}`,
      read: (answer) => failureOf(answer) ?? channelIn(answer.json, channelName!, teamId),
    };
  },
  request({ rendered, recipient, found }) {
    const { user, conversation = found, serviceUrl } = targetOf(recipient.ms_teams) ?? {};
    if (serviceUrl !== undefined && !isServiceUrl(serviceUrl))
      return failed('profile.ms_teams.service_url is no address of Microsoft Teams', 'permanent');
    if (conversation === undefined)
      return failed(`profile.ms_teams ${user === undefined ? 'names no target' : 'has no tenant_id, nor have the settings'}`, 'permanent');
    return {
      operation: MSTEAMS_OPERATIONS.send,
      ...(serviceUrl !== undefined && { baseUrl: serviceUrl }),
      parameters: { conversation_id: conversation },
      body: { type: 'message', channelId: 'msteams', conversation: { id: conversation }, ...contentOf(rendered) },
    };
  },
  words: ({ error, error_description }) =>
    isJsonObject(error) ? `${String(error.message)} (${String(error.code)})` : (error_description ?? error),
  read: (answer) => failureOf(answer) ?? (isSuccess(answer) ? accepted(answer.json.id, false) : undefined),
  test: {
    request: (settings: Settings) => ({ operation: MSTEAMS_OPERATIONS.token, url: tokenUrlOf(settings).href, body: tokenFormOf(settings) }),
  },
});

function tokenUrlOf({ login_url = LOGIN_URL, tenant_id = TOKEN_TENANT }: Settings) {
  return new URL(`${login_url.replace(/\/$/, '')}/${encodeURIComponent(tenant_id)}/oauth2/v2.0/token`);
}

function tokenFormOf({ app_id, app_password }: Settings) {
  return { grant_type: 'client_credentials', client_id: app_id, client_secret: app_password, scope: SCOPE };
}

/** The card, with the text for notifications. */
function contentOf({ directMessage: { text, card } }: VendorMessage<'direct_message'>['rendered']) {
  if (!card) return { text };
  return { ...(text && { summary: text }), attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: card }] };
}

/** The first channel of a team has its id and no name: it is shown as _General_. */
function channelIn({ conversations }: JsonObject, name: string, teamId: string): string | Outcome {
  const wanted = name.toLowerCase();
  const found = objectsIn(conversations).find(
    (one) => (typeof one.name === 'string' ? one.name : one.id === teamId ? 'General' : '').toLowerCase() === wanted,
  );
  return typeof found?.id === 'string' ? found.id : bounced(`The team has no channel ${JSON.stringify(name.slice(0, 100))}`, 'HARD');
}

function failureOf(answer: VendorAnswer): Outcome | undefined {
  if (isSuccess(answer)) return undefined;
  const { status, json, error, retryAfterMs } = answer;
  const code = isJsonObject(json.error) ? json.error.code : undefined;
  if (code === BLOCKED) return bounced(error, 'HARD');
  if (OF_MESSAGE.includes(code as string)) return failed(error, 'permanent');
  return status === 412 ? retry(error, { retryAfterMs }) : undefined;
}

const isId = (text: string) => /^[\w.-]+$/.test(text);
