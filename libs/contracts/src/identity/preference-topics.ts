import {
  AnyObject,
  Flag,
  IsListOf,
  IsoDate,
  Optional,
  OptionalFlag,
  OptionalObject,
  OptionalText,
  OptionalTextOf,
  SomeOf,
  Text,
  TextOf,
} from '../core/fields';
import { defineOperations } from '../core/operation';
import { CHANNEL_CLASSES, type ChannelClass } from '../core/channels';
import { type PreferenceStatus, TopicId, TopicStatus } from '../core/preferences';

export const TOPICS_PER_SECTION_MAX = 500;
export const TOPICS_PER_WORKSPACE_MAX = 2_000;
export const TOPIC_DATA_BYTES_MAX = 256 * 1024;

/** The choices that a preference page offers for a topic, beside opting in and out. */
const ALLOWED_PREFERENCES = ['snooze', 'channel_preferences'] as const;
export type AllowedPreference = (typeof ALLOWED_PREFERENCES)[number];

/** The fields of a topic, to create or replace it; absent fields get their defaults. */
export class TopicFields {
  @TextOf(1, 150) name: string;

  /** The status without a choice of the user; `REQUIRED` has no opt-out. */
  @TopicStatus default_status: PreferenceStatus;

  /** The choices a preference page offers. */
  @Optional(SomeOf(ALLOWED_PREFERENCES, ALLOWED_PREFERENCES.length)) allowed_preferences?: AllowedPreference[] | null;

  @OptionalTextOf(1_000) description?: string | null;

  /** Whether e-mails of the topic have a `List-Unsubscribe` header. */
  @OptionalFlag include_unsubscribe_header?: boolean | null;

  /** The channels a preference page offers. */
  @Optional(SomeOf(CHANNEL_CLASSES, CHANNEL_CLASSES.length)) routing_options?: ChannelClass[] | null;

  /** Free keys; at most `TOPIC_DATA_BYTES_MAX` as JSON. */
  @OptionalObject topic_data?: Record<string, unknown> | null;

  /** Digests are not served: anything but `null` is refused. */
  @OptionalObject digest?: object | null;
}

export class TopicsOfSection {
  @TopicId section_id: string;
}

export class CreateTopic extends TopicFields {
  @TopicId section_id: string;
}

export class NamedTopic extends TopicsOfSection {
  @TopicId topic_id: string;
}

export class ReplaceTopic extends CreateTopic {
  @TopicId topic_id: string;
}

/** A topic that people can subscribe to, or opt out of. */
export class PreferenceTopic {
  @Text id: string;

  @Text name: string;

  @TopicStatus default_status: PreferenceStatus;

  @SomeOf(ALLOWED_PREFERENCES) allowed_preferences: AllowedPreference[];

  @OptionalText description?: string;

  @Flag include_unsubscribe_header: boolean;

  @SomeOf(CHANNEL_CLASSES) routing_options: ChannelClass[];

  @AnyObject topic_data: Record<string, unknown>;

  @IsoDate created: string;

  @IsoDate updated: string;
}

class PreferenceTopics {
  /** The oldest first. */
  @IsListOf(PreferenceTopic) results: PreferenceTopic[];
}

export const preferenceTopics = defineOperations(
  'identity.preference-topics',
  'preference-sections',
  {
    create: {
      command: true,
      servedInPart: true,
      route: 'POST /preferences/sections/:section_id/topics',
      status: 201,
      summary: 'Create a topic',
      request: CreateTopic,
      response: PreferenceTopic,
    },
    list: {
      route: 'GET /preferences/sections/:section_id/topics',
      summary: 'List the topics of a section',
      request: TopicsOfSection,
      response: PreferenceTopics,
    },
    retrieve: {
      route: 'GET /preferences/sections/:section_id/topics/:topic_id',
      summary: 'Get a topic',
      request: NamedTopic,
      response: PreferenceTopic,
    },
    replace: {
      command: true,
      servedInPart: true,
      route: 'PUT /preferences/sections/:section_id/topics/:topic_id',
      summary: 'Replace a topic; choices of users stay',
      request: ReplaceTopic,
      response: PreferenceTopic,
    },
    remove: {
      command: true,
      route: 'DELETE /preferences/sections/:section_id/topics/:topic_id',
      summary: 'Delete a topic; choices of users no longer count',
      request: NamedTopic,
    },
  },
  { generation: 'later' },
);
