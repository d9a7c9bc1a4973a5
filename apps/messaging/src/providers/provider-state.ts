import { SYSTEM_WORKSPACE_ID } from '@tidings/contracts/core/context';
import { PROVIDER_PAUSES_MAX, type ProviderState } from '@tidings/contracts/messaging/provider-pauses';
import { In, type Repository } from 'typeorm';
import type { ProviderPauseEntity } from './provider-pause.entity';

/** A provider that can be paused; without a workspace, in all of them. */
export type Pausable = Pick<ProviderState, 'name' | 'provider' | 'channel' | 'alias' | 'workspace_id'> & { enabled?: boolean };

/** The pauses of a workspace and those of all workspaces; for the operators, whose workspace is the system's, every pause. */
export function pausesOf(rows: Repository<ProviderPauseEntity>, workspaceId: string): Promise<ProviderPauseEntity[]> {
  const where = workspaceId === SYSTEM_WORKSPACE_ID ? {} : { workspaceId: In([workspaceId, SYSTEM_WORKSPACE_ID]) };
  // Those of all workspaces first: see `pauseOf`.
  return rows.find({ where, order: { workspaceId: 'asc', name: 'asc' }, take: PROVIDER_PAUSES_MAX });
}

/** The pause of a provider: that of its own workspace before one of all. @param pauses as of `pausesOf`. */
export function pauseOf({ name: ofProvider, provider, workspace_id }: Pausable, pauses: readonly ProviderPauseEntity[]) {
  const concerns = ({ workspaceId, name }: ProviderPauseEntity) =>
    [undefined, workspace_id].includes(workspaceOf(workspaceId)) && [ofProvider, provider].includes(name);
  return pauses.findLast(concerns);
}

/** The state of a provider under these pauses. */
export function toState({ enabled = true, ...named }: Pausable, pauses: readonly ProviderPauseEntity[]): ProviderState {
  const pause = pauseOf(named, pauses);
  if (!pause) return { ...named, state: enabled ? 'active' : 'disabled' };
  return { ...named, state: 'paused', paused_at: pause.pausedAt.toISOString(), paused_by: pause.pausedBy };
}

/** The workspace of an answer; undefined for all. */
export function workspaceOf(id: string): string | undefined {
  return id === SYSTEM_WORKSPACE_ID ? undefined : id;
}
