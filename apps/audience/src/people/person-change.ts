import type { ProfileFields } from '@tidings/contracts/identity/profiles';
import type { EventRecord } from '@tidings/events/event-log';

/** A change of a person from one of the two topics. */
export interface PersonChange<Value> {
  workspaceId: string;
  userId: string;
  /** Sequence number; grows with every change of the person. */
  sequence: string;
  /** `null`: deleted. */
  value: Value | null;
}

/** A person as audiences see them. Without a profile they belong to no audience. */
export interface Person {
  profile: ProfileFields | null;
  tenantIds: readonly string[];
}

const WORKSPACE_ID_LENGTH = 36;

/**
 * The last change of each person of a batch, by workspace.
 * @throws Error for a record without sequence number, which has no defined order, or whose key names no user.
 */
export function lastChanges<Payload extends { workspaceId: string; userId: string }, Value>(
  batch: readonly EventRecord<Payload>[],
  valueOf: (payload: Payload) => Value,
): Map<string, PersonChange<Value>[]> {
  const byKey = new Map<string, PersonChange<Value>>();
  for (const record of batch) {
    const { key, sequence, payload } = record;
    if (sequence === undefined) throw new Error(`The record ${record.id} of ${key} has no sequence number`);
    const previous = byKey.get(key);
    if (previous && BigInt(previous.sequence) >= BigInt(sequence)) continue;
    byKey.set(key, { ...ownerOf(key, payload), sequence, value: payload && valueOf(payload) });
  }
  const byWorkspace = new Map<string, PersonChange<Value>[]>();
  for (const change of byKey.values()) {
    const changes = byWorkspace.get(change.workspaceId);
    if (changes) changes.push(change);
    else byWorkspace.set(change.workspaceId, [change]);
  }
  return byWorkspace;
}

/** A tombstone names its owner in its key alone: `<workspace>:<user>`. */
function ownerOf(key: string, payload: { workspaceId: string; userId: string } | null): { workspaceId: string; userId: string } {
  if (payload) return { workspaceId: payload.workspaceId, userId: payload.userId };
  const userId = key.slice(WORKSPACE_ID_LENGTH + 1);
  if (userId === '' || key[WORKSPACE_ID_LENGTH] !== ':') throw new Error(`The key ${key} names no user of a workspace`);
  return { workspaceId: key.slice(0, WORKSPACE_ID_LENGTH), userId };
}
