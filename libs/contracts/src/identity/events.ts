import { ArrayMaxSize, IsArray, IsObject, IsString, IsUUID } from 'class-validator';
import { defineEvent } from '../core/event';
import type { ProfileFields } from './profiles';

/** How many tenants one user may belong to: all of them travel in one event. */
export const TENANTS_PER_USER_MAX = 1_000;

/** A profile as it is now. */
export class ProfileChanged {
  @IsUUID()
  workspaceId!: string;

  @IsString()
  userId!: string;

  @IsObject()
  profile!: ProfileFields;
}

export const profileChanged = defineEvent({
  topic: 'tidings.profiles.v1',
  key: ['workspaceId', 'userId'],
  payload: ProfileChanged,
  summary: 'The profile of a user, whenever it changes; nothing when it was deleted',
  from: 'identity',
  to: ['audience'],
  compacted: true,
  retentionMs: null,
});

/** All tenants a user belongs to now. */
class MembershipsChanged {
  @IsUUID()
  workspaceId!: string;

  @IsString()
  userId!: string;

  /** Ids, in order; a tenant may not exist (any more, or yet). */
  @IsArray()
  @ArrayMaxSize(TENANTS_PER_USER_MAX)
  @IsString({ each: true })
  tenantIds!: string[];
}

export const membershipsChanged = defineEvent({
  topic: 'tidings.memberships.v1',
  key: ['workspaceId', 'userId'],
  payload: MembershipsChanged,
  summary: 'The tenants a user belongs to, whenever they change; nothing when there is none left',
  from: 'identity',
  to: ['audience'],
  compacted: true,
  retentionMs: null,
});
