import { IsObject, IsString, IsUUID } from 'class-validator';
import { defineEvent } from '../core/event';
import { IsTexts } from '../core/fields';
import type { ProfileFields } from './profiles';

/** Maximum tenants of one user: one event contains all of them. */
export const TENANTS_PER_USER_MAX = 1_000;

/** The current profile of a user. */
export class ProfileChanged {
  @IsUUID() workspaceId!: string;

  @IsString() userId!: string;

  @IsObject() profile!: ProfileFields;
}

export const profileChanged = defineEvent({
  topic: 'tidings.profiles.v1',
  key: ['workspaceId', 'userId'],
  payload: ProfileChanged,
  summary: 'The profile of a user after each change; a tombstone when it was deleted',
  from: 'identity',
  to: ['audience'],
  compacted: true,
  retentionMs: null,
});

/** All tenants that a user belongs to. */
class MembershipsChanged {
  @IsUUID() workspaceId!: string;

  @IsString() userId!: string;

  /** Ids, sorted; a tenant may be deleted or not exist yet. */
  @IsTexts(TENANTS_PER_USER_MAX) tenantIds!: string[];
}

export const membershipsChanged = defineEvent({
  topic: 'tidings.memberships.v1',
  key: ['workspaceId', 'userId'],
  payload: MembershipsChanged,
  summary: 'The tenants of a user after each change; a tombstone when none is left',
  from: 'identity',
  to: ['audience'],
  compacted: true,
  retentionMs: null,
});
