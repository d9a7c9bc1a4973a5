import { SYSTEM_WORKSPACE_ID } from '@tidings/contracts/core/context';
import type { ProviderState } from '@tidings/contracts/messaging/provider-pauses';
import type { ProviderPauseEntity } from './provider-pause.entity';

/** A provider that can be paused; without a workspace, in all of them. */
export type Pausable = Pick<ProviderState, 'name' | 'provider' | 'channel' | 'alias' | 'workspace_id'> & { enabled?: boolean };

/** The state of a provider under these pauses; that of its own workspace is named before one of all. */
export function toState({ enabled = true, ...named }: Pausable, pauses: readonly ProviderPauseEntity[]): ProviderState {
  const concerns = ({ workspaceId, name }: ProviderPauseEntity) =>
    [undefined, named.workspace_id].includes(workspaceOf(workspaceId)) && [named.name, named.provider].includes(name);
  const pause = pauses.findLast(concerns);
  if (!pause) return { ...named, state: enabled ? 'active' : 'disabled' };
  return { ...named, state: 'paused', paused_at: pause.pausedAt.toISOString(), paused_by: pause.pausedBy };
}

/** The workspace of an answer; undefined for all. */
export function workspaceOf(id: string): string | undefined {
  return id === SYSTEM_WORKSPACE_ID ? undefined : id;
}
