import type { CreatedKey, KeySummary, RotatedKey } from '@tidings/contracts/identity/managed-keys';
import type { RotatedSigningKey } from '@tidings/contracts/identity/issued-tokens';
import type { Workspace, WorkspacePage } from '@tidings/contracts/identity/workspaces';
import { isUUID } from 'class-validator';
import { type AdminClient, AdminError } from './admin-client';
import { eraseUser } from './erase-user';

/** The arguments of a command: what its options say, and the words beside them. */
export interface Arguments {
  options: Readonly<Record<string, string | boolean | string[] | undefined>>;
  words: readonly string[];
}

/** A command that an operator types. */
export interface Command {
  /** What stands behind the command's name, for the help. */
  usage: string;
  meaning: string;
  /** Names of the options beside `--json`; `required` ones must be there. */
  options: Readonly<Record<string, 'required' | 'optional' | 'several' | 'flag'>>;
  /** How many words it takes. */
  words: number;
  /** Lines for people, and the same as data. */
  run(client: AdminClient, given: Arguments): Promise<Outcome>;
}

interface Outcome {
  lines: string[];
  data: unknown;
}

const KEY_ONCE = 'It is shown this once: keep it now.';

export const COMMANDS: Readonly<Record<string, Command>> = {
  'workspaces list': {
    usage: '',
    meaning: 'the workspaces, the newest first',
    options: {},
    words: 0,
    run: async (client) => {
      const all = await collect(client.items<Workspace>('/workspaces'));
      return { data: all, lines: table(['WORKSPACE', 'NAME', 'ACCOUNT', 'CREATED'], all.map(workspaceRow)) };
    },
  },
  'workspaces create': {
    usage: '--name NAME --email ADDRESS',
    meaning: 'makes a workspace; nothing opens it until it has a key',
    options: { name: 'required', email: 'required' },
    words: 0,
    run: async (client, { options }) => {
      const made = await client.ask<Workspace>('POST', '/workspaces', { name: options.name, account_email: options.email });
      return { data: made, lines: [`Workspace ${made.name} was made: ${made.workspace_id}`] };
    },
  },
  'keys list': {
    usage: '--workspace WORKSPACE',
    meaning: 'the API keys of a workspace, the newest first',
    options: { workspace: 'required' },
    words: 0,
    run: async (client, given) => {
      const all = await collect(client.items<KeySummary>(await keysPath(client, given)));
      return { data: all, lines: table(['KEY', 'NAME', 'MODE', 'ENDS IN', 'STATUS', 'CREATED', 'SCOPES'], all.map(keyRow)) };
    },
  },
  'keys create': {
    usage: '--workspace WORKSPACE [--name NAME] [--mode production|test] [--scope SCOPE …]',
    meaning: 'makes an API key and shows it',
    options: { workspace: 'required', name: 'optional', mode: 'optional', scope: 'several' },
    words: 0,
    run: async (client, given) => {
      const { name, mode = 'production', scope: scopes } = given.options;
      const made = await client.ask<CreatedKey>('POST', await keysPath(client, given), { name, mode, scopes });
      return { data: made, lines: [made.key, '', `This is API key ${made.key_id}. ${KEY_ONCE}`] };
    },
  },
  'keys rotate': {
    usage: 'KEY_ID --workspace WORKSPACE [--overlap DURATION]',
    meaning: 'makes a key in the place of another, which goes on for the overlap (24 hours; "0s" ends it at once)',
    options: { workspace: 'required', overlap: 'optional' },
    words: 1,
    run: async (client, given) => {
      const [keyId] = given.words;
      const path = `${await keysPath(client, given)}/${encodeURIComponent(keyId!)}/rotate`;
      const made = await client.ask<RotatedKey>('POST', path, { overlap: given.options.overlap });
      const until = `API key ${keyId} goes on until ${made.previous_valid_until}.`;
      return { data: made, lines: [made.key, '', `This is API key ${made.key_id}. ${KEY_ONCE}`, until] };
    },
  },
  'keys revoke': {
    usage: 'KEY_ID --workspace WORKSPACE',
    meaning: 'ends an API key and every token it issued, everywhere within a second',
    options: { workspace: 'required' },
    words: 1,
    run: async (client, given) => {
      const [keyId] = given.words;
      await client.ask('DELETE', `${await keysPath(client, given)}/${encodeURIComponent(keyId!)}`);
      return { data: { key_id: keyId }, lines: [`API key ${keyId} is revoked`] };
    },
  },
  erase: {
    usage: 'WORKSPACE USER_ID',
    meaning: 'removes all that is kept of a user, cancels what waits for them, and says how much it was; may be repeated',
    options: {},
    words: 2,
    run: async (client, { words: [workspace, userId] }) => {
      const removed = await eraseUser(client, await workspacePath(client, workspace!), userId!);
      const lines = removed.map(({ service, what, count }) => [service, what, String(count)]);
      return { data: removed, lines: [...table(['WHERE', 'WHAT', 'COUNT'], lines), '', `All that was kept of user ${userId} is removed`] };
    },
  },
  'signing-keys rotate': {
    usage: '[--revoke-issued]',
    meaning: 'signs tokens with another key from now on; with --revoke-issued all that were issued are refused',
    options: { 'revoke-issued': 'flag' },
    words: 0,
    run: async (client, { options }) => {
      const made = await client.ask<RotatedSigningKey>('POST', '/signing-keys/rotate', {
        revoke_issued: options['revoke-issued'] === true,
      });
      return { data: made, lines: [`Tokens are signed with key ${made.key_id} from now on`] };
    },
  },
};

async function keysPath(client: AdminClient, { options }: Arguments): Promise<string> {
  return `${await workspacePath(client, String(options.workspace))}/keys`;
}

/** A workspace is given by its id, or by its exact name. */
async function workspacePath(client: AdminClient, given: string): Promise<string> {
  if (isUUID(given)) return `/workspaces/${given}`;
  const { results } = await client.ask<WorkspacePage>('GET', `/workspaces?${new URLSearchParams({ name: given }).toString()}`);
  const [found] = results;
  if (!found) throw new AdminError(`There is no workspace named ${JSON.stringify(given)}: "tidings workspaces list" shows those there are`);
  return `/workspaces/${found.workspace_id}`;
}

const workspaceRow = ({ workspace_id, name, account_email, created_at }: Workspace): string[] => [
  workspace_id,
  name,
  account_email,
  created_at,
];

function keyRow({ key_id, name = '', mode, hint, status, valid_until, created_at, scopes }: KeySummary): string[] {
  const until = status === 'ending' ? `ending ${valid_until}` : status;
  return [key_id, name, mode, hint === undefined ? '' : `…${hint}`, until, created_at, scopes.join(' ')];
}

async function collect<Item>(items: AsyncGenerator<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Columns as wide as their widest entry. */
function table(heads: string[], rows: string[][]): string[] {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]!.length)));
  return [heads, ...rows].map((row) =>
    row
      .map((entry, column) => entry.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
