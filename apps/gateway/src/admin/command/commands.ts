import { QUOTA_NAMES } from '@tidings/contracts/core/quotas';
import type { ResealedSecrets } from '@tidings/contracts/core/reseal';
import type { RepublishedPage } from '@tidings/contracts/identity/event-topics';
import { membershipsChanged, profileChanged } from '@tidings/contracts/identity/events';
import type { CreatedKey, KeySummary, RotatedKey } from '@tidings/contracts/identity/keys';
import type { KeyLimit, WorkspaceLimits } from '@tidings/contracts/identity/limits';
import type { RotatedSigningKey } from '@tidings/contracts/identity/issued-tokens';
import type { Workspace } from '@tidings/contracts/identity/workspaces';
import { messageStatus } from '@tidings/contracts/messaging/events';
import { events } from '@tidings/contracts/registry';
import type { Senders } from '@tidings/contracts/messaging/senders';
import { type AdminClient, AdminError } from './admin-client';
import type { Arguments, Command } from './command';
import { DEAD_LETTER_COMMANDS } from './dead-letters';
import { BOUNCE_COMMAND } from './bounce';
import { STATUS_COMMAND } from './status';
import { eraseUser } from './erase';
import { PROVIDER_COMMANDS } from './provider-commands';
import { table } from './table';
import { workspacePath } from './workspace-path';

export const COMMANDS: Readonly<Record<string, Command>> = {
  status: STATUS_COMMAND,
  bounce: BOUNCE_COMMAND,
  ...DEAD_LETTER_COMMANDS,
  'workspaces list': {
    usage: '',
    meaning: 'the workspaces, the newest first',
    run: async (client) => {
      const all = await client.items<Workspace>('/workspaces');
      const rows = all.map((one) => [one.workspace_id, one.name, one.account_email, one.created_at]);
      return { data: all, lines: table(['WORKSPACE', 'NAME', 'ACCOUNT', 'CREATED'], rows) };
    },
  },
  'workspaces create': {
    usage: '--name NAME --email ADDRESS',
    meaning: 'creates a workspace; it is accessible once it has a key',
    run: async (client, { options }) => {
      const created = await client.request<Workspace>('POST', '/workspaces', { name: options.name, account_email: options.email });
      return { data: created, lines: [`Workspace ${created.name} created: ${created.workspace_id}`] };
    },
  },
  'workspaces senders': {
    usage: 'WORKSPACE [--domain DOMAIN …] [--reset]',
    meaning: 'the domains from which a workspace may send with the default e-mail provider, after replacing them by those given',
    run: async (client, { words: [workspace], options: { domain: domains, reset } }) => {
      if (domains && reset) throw new AdminError('--domain and --reset are both there: give one of them');
      const path = `${await workspacePath(client, workspace!)}/senders`;
      const body = domains || reset ? { domains: domains ?? null } : undefined;
      const found = await client.request<Senders>(body ? 'PUT' : 'GET', path, body);
      const from = found.allowed ? found.allowed.join(', ') || 'no domain' : 'any domain';
      const whose = found.domains ? 'its own list' : "the installation's, TIDINGS_SENDER_DOMAINS";
      return { data: found, lines: [`Workspace ${workspace} may send from ${from} (${whose})`] };
    },
  },
  'workspaces limit': {
    usage: 'WORKSPACE [--rate RATE|none|default]',
    meaning: 'shows or changes how many requests a workspace may make: "50/s", "600/m", "1000/h"; "default" is TIDINGS_RATE_LIMIT',
    run: async (client, { words: [workspace], options: { rate } }) => {
      const changes = rate === undefined ? undefined : { rate_limit: rate === 'default' ? null : rate };
      const limits = await limitsOf(client, workspace!, changes);
      const { rate_limit, effective_rate_limit } = limits;
      const source = rate_limit === null ? ' (the default)' : '';
      return { data: limits, lines: [`Workspace ${workspace}: ${effective_rate_limit ?? 'no rate limit'}${source}`] };
    },
  },
  'workspaces quota': {
    usage: 'WORKSPACE [--profiles N|none] [--lists N|none] [--templates N|none] [--bulk-rows N|none] [--suppressions N|none]',
    meaning: 'shows or changes how many profiles, lists, templates, rows of open bulk jobs and suppressed addresses a workspace may have',
    run: async (client, { words: [workspace], options }) => {
      const given = QUOTA_NAMES.flatMap((name) => {
        const value = options[name.replace('_', '-')];
        return value === undefined ? [] : [[name, quotaOf(String(value))] as const];
      });
      const limits = await limitsOf(client, workspace!, given.length > 0 ? Object.fromEntries(given) : undefined);
      return {
        data: limits,
        lines: table(
          ['QUOTA', 'MOST'],
          QUOTA_NAMES.map((name) => [name, String(limits[name] ?? 'none')]),
        ),
      };
    },
  },
  'keys list': {
    usage: '--workspace WORKSPACE',
    meaning: 'the API keys of a workspace, the newest first',
    run: async (client, args) => {
      const all = await client.items<KeySummary>(await keysPath(client, args));
      const rows = all.map(({ key_id, name = '', mode, hint, status, valid_until, expires_at, created_at, scopes, recipients = [] }) => {
        const until = status === 'ending' ? `ending ${valid_until}` : status === 'active' && expires_at ? `until ${expires_at}` : status;
        const shown = [key_id, name, mode, hint === undefined ? '' : `…${hint}`, until, created_at];
        return [...shown, scopes.join(' '), recipients.join(' ')];
      });
      return { data: all, lines: table(['KEY', 'NAME', 'MODE', 'ENDS IN', 'STATUS', 'CREATED', 'SCOPES', 'RECIPIENTS'], rows) };
    },
  },
  'keys create': {
    usage: '--workspace WORKSPACE [--name NAME] [--mode production|test] [--scope SCOPE …] [--recipient RECIPIENT …] [--expires-at TIME]',
    meaning: 'creates an API key and shows it; with --recipient it sends to these users and addresses only',
    run: async (client, args) => {
      const { name, mode = 'production', scope: scopes, recipient: recipients, 'expires-at': expires_at } = args.options;
      const key = { name, mode, scopes, recipients, expires_at };
      const created = await client.request<CreatedKey>('POST', await keysPath(client, args), key);
      return { data: created, lines: shownOnce(created) };
    },
  },
  'keys rotate': {
    usage: 'KEY_ID --workspace WORKSPACE [--overlap DURATION]',
    meaning: 'creates a key that replaces another one, which stays valid for the overlap (24 hours; "0s" ends it at once)',
    run: async (client, args) => {
      const [keyId] = args.words;
      const path = `${await keysPath(client, args)}/${encodeURIComponent(keyId!)}/rotate`;
      const created = await client.request<RotatedKey>('POST', path, { overlap: args.options.overlap });
      return { data: created, lines: [...shownOnce(created), `API key ${keyId} stays valid until ${created.previous_valid_until}.`] };
    },
  },
  'keys limit': {
    usage: 'KEY_ID --workspace WORKSPACE --rate RATE|none',
    meaning: 'changes how many requests an API key may make, within the limit of its workspace',
    run: async (client, args) => {
      const [keyId] = args.words;
      const path = `${await keysPath(client, args)}/${encodeURIComponent(keyId!)}/limit`;
      const { rate } = args.options;
      const limit = await client.request<KeyLimit>('PATCH', path, { rate_limit: rate === 'none' ? null : rate });
      return { data: limit, lines: [`API key ${keyId}: ${limit.rate_limit ?? 'no rate limit of its own'}`] };
    },
  },
  'keys revoke': {
    usage: 'KEY_ID --workspace WORKSPACE',
    meaning: 'ends an API key and every token it issued, everywhere within a second',
    run: async (client, args) => {
      const [keyId] = args.words;
      await client.request('DELETE', `${await keysPath(client, args)}/${encodeURIComponent(keyId!)}`);
      return { data: { key_id: keyId }, lines: [`API key ${keyId} is revoked`] };
    },
  },
  ...PROVIDER_COMMANDS,
  erase: {
    usage: 'WORKSPACE USER_ID',
    meaning: 'removes the stored data of a user, cancels their pending messages, and prints the counts and what remains; can be repeated',
    run: async (client, { words: [workspace, userId] }, note) =>
      eraseUser(client, await workspacePath(client, workspace!), { userId: userId!, note }),
  },
  'events skip-unverified': {
    usage: 'TOPIC',
    meaning: 'lets all processes go past the records of a topic that are signed with unknown keys and were appended before now',
    run: async (client, { words: [topic] }) => {
      await client.request('POST', '/events/skip-unverified', { topic });
      return { data: { topic }, lines: [`Partitions of ${topic} that wait for a key continue within seconds`] };
    },
  },
  'events republish': {
    usage: '',
    meaning: 'publishes the compacted topics anew, signed with the first secret, and prints when the other secrets may go',
    run: async (client) => {
      const published: Record<string, number> = {};
      let isSigned = true;
      for (const [topic, path] of Object.entries(REPUBLISHED)) {
        const { count, signed } = await republish(client, path);
        published[topic] = count;
        isSigned &&= signed;
      }
      const until = new Date(Date.now() + RETENTION_MS_MAX).toISOString();
      const rows = Object.entries(published).map(([topic, count]) => [topic, String(count)]);
      return {
        data: { published, ...(isSigned && { others_needed_until: until }) },
        lines: [
          ...table(['TOPIC', 'RECORDS'], rows),
          '',
          isSigned ? `The other secrets of TIDINGS_RPC_SECRET may go after ${until}: ${RETAINED}` : UNSIGNED,
        ],
      };
    },
  },
  'secrets reseal': {
    usage: '',
    meaning: 'seals stored secrets again with the first key of TIDINGS_SECRET_KEY, and prints the counts; can be repeated',
    run: async (client) => {
      const all: { service: string; resealed: number; unreadable: number }[] = [];
      for (const service of SEALING) all.push({ service, ...(await resealIn(client, service)) });
      const rows = all.map(({ service, resealed, unreadable }) => [service, String(resealed), String(unreadable)]);
      return { data: all, lines: table(['WHERE', 'SEALED AGAIN', 'UNREADABLE'], rows) };
    },
  },
  'signing-keys rotate': {
    usage: '[--revoke-issued]',
    meaning: 'signs tokens with another key from now on; with --revoke-issued all issued tokens are refused',
    run: async (client, { options }) => {
      const created = await client.request<RotatedSigningKey>('POST', '/signing-keys/rotate', {
        revoke_issued: options['revoke-issued'] === true,
      });
      return { data: created, lines: [`Tokens are signed with key ${created.key_id} from now on`] };
    },
  },
};

/** The compacted topics that services read, and the route that publishes a page of each. */
const REPUBLISHED = {
  [profileChanged.topic]: 'profiles',
  [membershipsChanged.topic]: 'memberships',
  [messageStatus.topic]: 'message-statuses',
};
const RETENTION_MS_MAX = Math.max(...events.map(({ compacted, retentionMs }) => (compacted ? 0 : retentionMs!)));
const RETAINED = 'until then topics retain records that were signed with them';
const UNSIGNED = 'The records are in PostgreSQL, where nothing is signed and nothing waits';

async function republish(client: AdminClient, path: string) {
  let count = 0;
  let signed = true;
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await client.request<RepublishedPage>('POST', `/events/republish/${path}`, { cursor });
    count += page.published;
    signed &&= page.signed ?? true;
    cursor = page.next;
  }
  return { count, signed };
}

/** The limits of a workspace, after the changes if any. */
async function limitsOf(client: AdminClient, workspace: string, changes?: object) {
  const path = `${await workspacePath(client, workspace)}/limits`;
  return client.request<WorkspaceLimits>(changes ? 'PATCH' : 'GET', path, changes);
}

/** The value of an option; what is no number is refused by the gateway. */
function quotaOf(text: string) {
  if (text === 'none') return null;
  return /^\d+$/.test(text) ? Number(text) : text;
}

async function keysPath(client: AdminClient, { options }: Arguments) {
  return `${await workspacePath(client, String(options.workspace))}/keys`;
}

const shownOnce = ({ key, key_id }: CreatedKey) => [key, '', `This is API key ${key_id}. It is shown only once: store it now.`];

/** The services that store secrets. */
const SEALING = ['identity', 'messaging', 'content'] as const;

/** Seals the secrets of a service again, step by step. @throws AdminError */
async function resealIn(client: AdminClient, service: string) {
  const counts = { resealed: 0, unreadable: 0 };
  let cursor: string | undefined;
  do {
    const step = await client.request<ResealedSecrets>('POST', `/secrets/${service}/reseal`, { cursor });
    counts.resealed += step.resealed;
    counts.unreadable += step.unreadable;
    ({ cursor } = step);
  } while (cursor !== undefined);
  return counts;
}
