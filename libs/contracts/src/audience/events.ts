import { IsIn, IsObject, IsString, IsUUID } from 'class-validator';
import { defineEvent } from '../core/event';

const AUDIENCE_EVENT_TYPES = ['audiences:updated', 'audiences:user:matched', 'audiences:user:unmatched', 'audiences:calculated'] as const;

/** What the data of each type of event are. */
export interface AudienceEventData {
  /** The filter changed: its members are determined anew. `filter` as the client said it, `null` where nobody is meant. */
  'audiences:updated': { audience_id: string; audience_version: number; filter: Record<string, unknown> | null };
  /** A user came in. `reason` says how the conditions were met. */
  'audiences:user:matched': { audience_id: string; audience_version: number; reason: string; user_id: string };
  /** A user left. */
  'audiences:user:unmatched': { audience_id: string; audience_version: number; reason: string; user_id: string };
  /**
   * The members of the newest version are all known and told of. `user_count` are the members; `total_users` the users that were
   * looked at, `total_users_filtered` those of them whom the filter let through. Who changed meanwhile may be counted as before.
   */
  'audiences:calculated': { audience_id: string; user_count: number; total_users: number; total_users_filtered: number };
}

export type AudienceEventType = keyof AudienceEventData;

/** Something happened to an audience, as webhooks tell it: `{ type, data }`. */
export class AudienceHappening {
  @IsUUID()
  workspaceId!: string;

  @IsString()
  audienceId!: string;

  @IsIn(AUDIENCE_EVENT_TYPES)
  type!: AudienceEventType;

  @IsObject()
  data!: AudienceEventData[AudienceEventType];
}

export const audienceHappened = defineEvent({
  topic: 'tidings.audience-events.v1',
  key: ['workspaceId', 'audienceId'],
  payload: AudienceHappening,
  summary: 'An audience was updated or calculated, or a user came in or left',
  from: 'audience',
  to: ['messaging'],
});
