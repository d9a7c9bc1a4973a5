import { IsIn } from 'class-validator';
import { CHANNEL_CLASSES, type ChannelClass } from '../core/channels';
import { Flag, IsoDate, MaybeNested, Optional, OptionalLimit, OptionalText, SomeOf, Text } from '../core/fields';
import { IsInstant } from '../core/instant';
import { defineOperations } from '../core/operation';
import { CursorQuery, PAGE_LIMIT_MAX, pageOf } from '../core/paging';
import { type PreferenceStatus, TopicStatus } from '../core/preferences';
import { OptionalUserId } from './profiles';
import { OptionalTenantId } from './tenants';

/** Items of a page without `limit`. */
export const PREFERENCE_LOGS_DEFAULT = 25;

/** How a choice is changed: by a client with an API key or a token, by the link of a message, or on the preference page. */
export const PREFERENCE_SOURCES = ['api', 'link', 'page'] as const;
export type ChangeSource = (typeof PREFERENCE_SOURCES)[number];

export class ListPreferenceLogs extends CursorQuery {
  /** The most items of a page, 1 to 100. Default 25. A page may have fewer before the last. @example 50 */
  @OptionalLimit(PAGE_LIMIT_MAX) limit?: number;

  /** Only changes since this time: an ISO 8601 date or date with time; UTC without an offset. @example "2026-03-01" */
  @Optional(IsInstant) since?: string;

  /** Only changes of this user's choices. @example "ada" */
  @OptionalUserId user_id?: string;

  /** Only choices that count in this tenant; needs `user_id`. @example "acme" */
  @OptionalTenantId tenant_id?: string;
}

/** A choice as it was before a change. */
export class PreviousChoice {
  /** The choice; `REQUIRED` for a required topic, of which only channels were chosen. @example "OPTED_IN" */
  @TopicStatus status: PreferenceStatus;

  /** Whether only the channels of `custom_routing` were used. @example false */
  @Flag has_custom_routing: boolean;

  /** The only channels that were used; empty if none were chosen. @example [] */
  @SomeOf(CHANNEL_CLASSES) custom_routing: ChannelClass[];
}

/** A change of a user's choice for a topic. */
export class PreferenceLog {
  /** Id of the change. @example "6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11" */
  @Text id: string;

  /** Id of the user. @example "ada" */
  @Text user_id: string;

  /** Id of the topic. @example "tpc_7Hd2kQm3xYb5nVwZ4cRt" */
  @Text topic_id: string;

  /** Name of the topic at that time. @example "Releases" */
  @Text topic_name: string;

  /** The choice since then; after a deletion, the default of the topic. @example "OPTED_OUT" */
  @TopicStatus status: PreferenceStatus;

  /** Whether only the channels of `custom_routing` are used. @example false */
  @Flag has_custom_routing: boolean;

  /** The only channels that are used; empty if none were chosen. @example [] */
  @SomeOf(CHANNEL_CLASSES) custom_routing: ChannelClass[];

  /** When the choice was changed: ISO 8601 in UTC. @example "2026-03-01T10:00:00.000Z" */
  @IsoDate timestamp: string;

  /** The choice before; absent if there was none. */
  @Optional(MaybeNested(PreviousChoice)) previous?: PreviousChoice;

  /** The tenant in whose context the choice counts; absent if it counts in every context. @example "acme" */
  @OptionalText tenant_id?: string;

  /**
   * Who changed it: a client (`api`), or the user by the link of a message (`link`) or on the preference page (`page`).
   * @example "link"
   */
  @IsIn(PREFERENCE_SOURCES) source: ChangeSource;

  /** The message with the link; absent for clients. @example "1-65f2a1b0-9c3d4e5f60718293a4b5c6d7" */
  @OptionalText message_id?: string;
}

/** @property items The changes of this page, the newest first. */
class PreferenceLogPage extends pageOf(PreferenceLog, 'items') {}

export const preferenceLogs = defineOperations('identity.preference-logs', 'preference-logs', {
  /** Changes of choices for topics, kept as long as the records of messages. A write that changes nothing leaves none. */
  list: {
    route: 'GET /preferences/logs',
    generation: 'python',
    summary: "List changes of users' choices, newest first",
    request: ListPreferenceLogs,
    response: PreferenceLogPage,
  },
});
