import { defineEvent } from '../core/event';
import { AnyObject, Text, TextsOf, Uuid } from '../core/fields';
import type { ProfileFields } from './profiles';

/** Maximum tenants of one user: one event contains all of them. */
export const TENANTS_PER_USER_MAX = 1_000;

/** The current profile of a user. */
export class ProfileChanged {
  @Uuid workspaceId: string;

  @Text userId: string;

  @AnyObject profile: ProfileFields;
}

export const profileChanged = defineEvent({
  topic: 'tidings.profiles.v1',
  key: ['workspaceId', 'userId'],
  payload: ProfileChanged,
  summary: 'The profile of a user after each change; a tombstone when it was deleted',
  from: 'identity',
  to: ['audience'],
  isPersonal: true,
  compacted: true,
  retentionMs: null,
});

/** All tenants that a user belongs to. */
class MembershipsChanged {
  @Uuid workspaceId: string;

  @Text userId: string;

  /** Ids, sorted; a tenant may be deleted or not exist yet. */
  @TextsOf(TENANTS_PER_USER_MAX) tenantIds: string[];
}

export const membershipsChanged = defineEvent({
  topic: 'tidings.memberships.v1',
  key: ['workspaceId', 'userId'],
  payload: MembershipsChanged,
  summary: 'The tenants of a user after each change; a tombstone when none is left',
  from: 'identity',
  to: ['audience'],
  isPersonal: true,
  compacted: true,
  retentionMs: null,
});
