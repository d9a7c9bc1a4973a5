import type { ParseArgsConfig } from 'node:util';
import type { CreatedKey, KeySummary, RotatedKey } from '@tidings/contracts/identity/keys';
import type { RotatedSigningKey } from '@tidings/contracts/identity/issued-tokens';
import type { Workspace, WorkspacePage } from '@tidings/contracts/identity/workspaces';
import { isUUID } from 'class-validator';
import { type AdminClient, AdminError } from './admin-client';
import { eraseUser } from './erase-user';

/** The parsed arguments of a command: options and positional words. */
export interface Arguments {
  options: Readonly<Record<string, string | boolean | string[] | undefined>>;
  words: readonly string[];
}

/** A command for operators. */
export interface Command {
  /** The arguments after the command's name, for the help. */
  usage: string;
  meaning: string;
  /** Options in addition to `--json`. */
  options?: NonNullable<ParseArgsConfig['options']>;
  /** Options that must be set. */
  required?: readonly string[];
  /** Number of positional words. Default: none. */
  words?: number;
  /** Runs the command; resolves with lines for people, and the same as data. */
  run(client: AdminClient, args: Arguments): Promise<Outcome>;
}

interface Outcome {
  lines: string[];
  data: unknown;
}

const TEXT = { type: 'string' } as const;
const KEY_ONCE = 'It is shown only once: store it now.';

export const COMMANDS: Readonly<Record<string, Command>> = {
  'workspaces list': {
    usage: '',
    meaning: 'the workspaces, the newest first',
    run: async (client) => {
      const all = await client.items<Workspace>('/workspaces');
      return { data: all, lines: table(['WORKSPACE', 'NAME', 'ACCOUNT', 'CREATED'], all.map(workspaceRow)) };
    },
  },
  'workspaces create': {
    usage: '--name NAME --email ADDRESS',
    meaning: 'creates a workspace; it is accessible once it has a key',
    options: { name: TEXT, email: TEXT },
    required: ['name', 'email'],
    run: async (client, { options }) => {
      const created = await client.request<Workspace>('POST', '/workspaces', { name: options.name, account_email: options.email });
      return { data: created, lines: [`Workspace ${created.name} created: ${created.workspace_id}`] };
    },
  },
  'keys list': {
    usage: '--workspace WORKSPACE',
    meaning: 'the API keys of a workspace, the newest first',
    options: { workspace: TEXT },
    required: ['workspace'],
    run: async (client, args) => {
      const all = await client.items<KeySummary>(await keysPath(client, args));
      return { data: all, lines: table(['KEY', 'NAME', 'MODE', 'ENDS IN', 'STATUS', 'CREATED', 'SCOPES'], all.map(keyRow)) };
    },
  },
  'keys create': {
    usage: '--workspace WORKSPACE [--name NAME] [--mode production|test] [--scope SCOPE …]',
    meaning: 'creates an API key and shows it',
    options: { workspace: TEXT, name: TEXT, mode: TEXT, scope: { type: 'string', multiple: true } },
    required: ['workspace'],
    run: async (client, args) => {
      const { name, mode = 'production', scope: scopes } = args.options;
      const created = await client.request<CreatedKey>('POST', await keysPath(client, args), { name, mode, scopes });
      return { data: created, lines: [created.key, '', `This is API key ${created.key_id}. ${KEY_ONCE}`] };
    },
  },
  'keys rotate': {
    usage: 'KEY_ID --workspace WORKSPACE [--overlap DURATION]',
    meaning: 'creates a key that replaces another one, which stays valid for the overlap (24 hours; "0s" ends it at once)',
    options: { workspace: TEXT, overlap: TEXT },
    required: ['workspace'],
    words: 1,
    run: async (client, args) => {
      const [keyId] = args.words;
      const path = `${await keysPath(client, args)}/${encodeURIComponent(keyId!)}/rotate`;
      const created = await client.request<RotatedKey>('POST', path, { overlap: args.options.overlap });
      const until = `API key ${keyId} stays valid until ${created.previous_valid_until}.`;
      return { data: created, lines: [created.key, '', `This is API key ${created.key_id}. ${KEY_ONCE}`, until] };
    },
  },
  'keys revoke': {
    usage: 'KEY_ID --workspace WORKSPACE',
    meaning: 'ends an API key and every token it issued, everywhere within a second',
    options: { workspace: TEXT },
    required: ['workspace'],
    words: 1,
    run: async (client, args) => {
      const [keyId] = args.words;
      await client.request('DELETE', `${await keysPath(client, args)}/${encodeURIComponent(keyId!)}`);
      return { data: { key_id: keyId }, lines: [`API key ${keyId} is revoked`] };
    },
  },
  erase: {
    usage: 'WORKSPACE USER_ID',
    meaning: 'removes all stored data of a user, cancels their pending messages, and prints the counts; can be repeated',
    words: 2,
    run: async (client, { words: [workspace, userId] }) => {
      const removed = await eraseUser(client, await workspacePath(client, workspace!), userId!);
      const lines = removed.map(({ service, what, count }) => [service, what, String(count)]);
      return { data: removed, lines: [...table(['WHERE', 'WHAT', 'COUNT'], lines), '', `All stored data of user ${userId} is removed`] };
    },
  },
  'signing-keys rotate': {
    usage: '[--revoke-issued]',
    meaning: 'signs tokens with another key from now on; with --revoke-issued all issued tokens are refused',
    options: { 'revoke-issued': { type: 'boolean' } },
    run: async (client, { options }) => {
      const created = await client.request<RotatedSigningKey>('POST', '/signing-keys/rotate', {
        revoke_issued: options['revoke-issued'] === true,
      });
      return { data: created, lines: [`Tokens are signed with key ${created.key_id} from now on`] };
    },
  },
};

async function keysPath(client: AdminClient, { options }: Arguments): Promise<string> {
  return `${await workspacePath(client, String(options.workspace))}/keys`;
}

/** The path of a workspace, given by its id or its exact name. */
async function workspacePath(client: AdminClient, idOrName: string): Promise<string> {
  if (isUUID(idOrName)) return `/workspaces/${idOrName}`;
  const { results } = await client.request<WorkspacePage>('GET', `/workspaces?${new URLSearchParams({ name: idOrName }).toString()}`);
  const [found] = results;
  if (!found)
    throw new AdminError(`There is no workspace named ${JSON.stringify(idOrName)}: list the workspaces with "tidings workspaces list"`);
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

/** Columns as wide as their widest entry. */
function table(heads: string[], rows: string[][]): string[] {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]!.length)));
  const line = (row: string[]): string => row.map((entry, column) => entry.padEnd(widths[column]!)).join('  ');
  return [heads, ...rows].map((row) => line(row).trimEnd());
}
