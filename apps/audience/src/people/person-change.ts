import type { ProfileFields } from '@tidings/contracts/identity/profiles';
import type { EventRecord } from '@tidings/events/event-log';

/** A change of a person from one of the two topics. */
export interface PersonChange {
  workspaceId: string;
  userId: string;
  /** Sequence number; grows with every change of the person. */
  sequence: string;
  /** `null`: deleted. */
  value: Person[keyof Person];
}

/** A person as audiences see them. Without a profile they belong to no audience. */
export interface Person {
  profile: ProfileFields | null;
  tenantIds: readonly string[];
}

/** The payload of one of the two topics: the profile or the tenants of a user. */
export type PersonPayload = { workspaceId: string; userId: string } & Partial<Person>;

const WORKSPACE_ID_LENGTH = 36;

/**
 * The last change of each person of a batch, by workspace.
 * @throws Error for a record without sequence number, which has no defined order, or whose key names no user.
 */
export function lastChanges(batch: readonly EventRecord<PersonPayload>[], field: keyof Person) {
  const byKey = new Map<string, PersonChange>();
  for (const record of batch) {
    const { key, sequence, payload } = record;
    if (sequence === undefined) throw new Error(`The record ${record.id} of ${key} has no sequence number`);
    const previous = byKey.get(key);
    if (previous && BigInt(previous.sequence) >= BigInt(sequence)) continue;
    byKey.set(key, { ...ownerOf(key, payload), sequence, value: payload?.[field] ?? null });
  }
  const byWorkspace = new Map<string, PersonChange[]>();
  for (const change of byKey.values()) {
    const changes = byWorkspace.get(change.workspaceId);
    if (changes) changes.push(change);
    else byWorkspace.set(change.workspaceId, [change]);
  }
  return byWorkspace;
}

/** A tombstone names its owner in its key alone: `<workspace>:<user>`. */
function ownerOf(key: string, payload: PersonPayload | null) {
  if (payload) return { workspaceId: payload.workspaceId, userId: payload.userId };
  const userId = key.slice(WORKSPACE_ID_LENGTH + 1);
  if (userId === '' || key[WORKSPACE_ID_LENGTH] !== ':') throw new Error(`The key ${key} names no user of a workspace`);
  return { workspaceId: key.slice(0, WORKSPACE_ID_LENGTH), userId };
}
