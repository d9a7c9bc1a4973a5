import type { ProviderState, ProviderStates } from '@tidings/contracts/messaging/provider-pauses';
import type { AdminClient } from './admin-client';
import type { Arguments, Command } from './command';
import { table } from './table';
import { workspacePath } from './workspace-path';

/** The commands that pause providers. */
export const PROVIDER_COMMANDS: Readonly<Record<string, Command>> = {
  'providers list': {
    usage: '[--workspace WORKSPACE]',
    meaning: 'the providers of a workspace, or those of all, with their pauses',
    run: async (client, args) => {
      const { results } = await client.request<ProviderStates>('GET', await providersPath(client, args));
      const rows = results.map(
        ({ name, provider = '', channel = '', alias = '', workspace_id = 'all', state, paused_at = '', paused_by = '' }) => [
          name,
          provider,
          channel,
          alias,
          workspace_id,
          state,
          paused_at,
          paused_by,
        ],
      );
      return { data: results, lines: table(['NAME', 'PROVIDER', 'CHANNEL', 'ALIAS', 'WORKSPACE', 'STATE', 'PAUSED', 'BY'], rows) };
    },
  },
  'providers pause': {
    usage: 'NAME [--workspace WORKSPACE]',
    meaning:
      'stops all calls of a provider: messages wait for it, or use their next route; a kind, "default", or of a workspace an id or alias',
    run: async (client, args) => {
      const state = await change(client, args, 'pause');
      const where = state.workspace_id === undefined ? 'in all workspaces' : `in workspace ${args.options.workspace as string}`;
      return { data: state, lines: [`Provider ${args.words[0]} is paused ${where}, since ${state.paused_at} by ${state.paused_by}`] };
    },
  },
  'providers resume': {
    usage: 'NAME [--workspace WORKSPACE]',
    meaning: 'ends a pause; what waited for the provider is due a second later',
    run: async (client, args) => {
      const state = await change(client, args, 'resume');
      return { data: state, lines: [`Provider ${args.words[0]} is not paused any more; what waited for it becomes due now`] };
    },
  },
};

async function change(client: AdminClient, args: Arguments, verb: 'pause' | 'resume') {
  const path = `${await providersPath(client, args)}/${encodeURIComponent(args.words[0]!)}/${verb}`;
  return client.request<ProviderState>('POST', path, {});
}

/** The path of the providers of a workspace, or of all. */
async function providersPath(client: AdminClient, { options: { workspace } }: Arguments) {
  return workspace === undefined ? '/providers' : `${await workspacePath(client, String(workspace))}/providers`;
}
