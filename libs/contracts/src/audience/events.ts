import { IsIn } from 'class-validator';
import { AnyObject, Text, Uuid } from '../core/fields';
import { defineEvent } from '../core/event';

const AUDIENCE_EVENT_TYPES = ['audiences:updated', 'audiences:user:matched', 'audiences:user:unmatched', 'audiences:calculated'] as const;

/** The data of each event type. */
export interface AudienceEventData {
  /** The filter changed, and the members are recalculated. `filter` as the client sent it; `null` matches no user. */
  'audiences:updated': { audience_id: string; audience_version: number; filter: Record<string, unknown> | null };
  /** A user became a member. `reason` lists the evaluated conditions. */
  'audiences:user:matched': { audience_id: string; audience_version: number; reason: string; user_id: string };
  /** A user left. */
  'audiences:user:unmatched': { audience_id: string; audience_version: number; reason: string; user_id: string };
  /**
   * All members of the newest version are determined and published. `user_count`: the members. `total_users`: the evaluated users,
   * `total_users_filtered`: those that match the filter. A user changed meanwhile may be counted by the old data.
   */
  'audiences:calculated': { audience_id: string; user_count: number; total_users: number; total_users_filtered: number };
}

export type AudienceEventType = keyof AudienceEventData;

/** An event of an audience, in the form of webhooks: `{ type, data }`. */
export class AudienceHappening {
  @Uuid workspaceId: string;

  @Text audienceId: string;

  @IsIn(AUDIENCE_EVENT_TYPES) type: AudienceEventType;

  @AnyObject data: AudienceEventData[AudienceEventType];
}

export const audienceHappened = defineEvent({
  topic: 'tidings.audience-events.v1',
  key: ['workspaceId', 'audienceId'],
  payload: AudienceHappening,
  summary: 'An audience was updated or calculated, or a user became a member or left',
  from: 'audience',
  to: ['messaging'],
  isPersonal: true,
});
