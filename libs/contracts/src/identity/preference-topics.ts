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
import { FieldsOfAnswer, FieldsWithoutEffect } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { CHANNEL_CLASSES, type ChannelClass } from '../core/channels';
import { type PreferenceStatus, TopicId, TopicStatus } from '../core/preferences';

export const TOPICS_PER_SECTION_MAX = 500;
export const TOPICS_PER_WORKSPACE_MAX = 2_000;
export const TOPIC_DATA_BYTES_MAX = 256 * 1024;

/** Id of the section, generated when it was created. @example "sct_7Hd2kQm3xYb5nVwZ4cRt" */
export const SectionId = TopicId;
/** The choices that a preference page offers for a topic, beside opting in and out. */
const ALLOWED_PREFERENCES = ['snooze', 'channel_preferences'] as const;
export type AllowedPreference = (typeof ALLOWED_PREFERENCES)[number];

/** The fields of a topic, to create or replace it; absent fields get their defaults. */
export class TopicFields {
  /** Name of the topic for people. @example "Releases" */
  @TextOf(1, 150) name: string;

  /** Whether users without a choice get messages of the topic; with `REQUIRED` they cannot opt out. @example "OPTED_IN" */
  @TopicStatus default_status: PreferenceStatus;

  /** The choices that a preference page offers beside opting in and out. A hint for the page. Default: none. @example ["snooze"] */
  @Optional(SomeOf(ALLOWED_PREFERENCES, ALLOWED_PREFERENCES.length)) allowed_preferences?: AllowedPreference[] | null;

  /** What the topic is about, for people. @example "New versions of our products" */
  @OptionalTextOf(1_000) description?: string | null;

  /** Whether e-mails of the topic have the header `List-Unsubscribe`, by which mail clients unsubscribe. Default `false`. @example true */
  @OptionalFlag include_unsubscribe_header?: boolean | null;

  /**
   * The channels that a preference page offers; repeated ones count once. A hint for the page. Default: none.
   * @example ["email", "push"]
   */
  @Optional(SomeOf(CHANNEL_CLASSES, CHANNEL_CLASSES.length)) routing_options?: ChannelClass[] | null;

  /** Any fields for your own use, at most 256 KB as JSON. Default: an empty object. @example { "icon": "rocket" } */
  @OptionalObject topic_data?: Record<string, unknown> | null;

  /** Digests are not served: any value but `null` is refused with 501. */
  @OptionalObject digest?: object | null;
}

export class TopicsOfSection {
  @SectionId section_id: string;
}

export class CreateTopic extends TopicFields {
  @SectionId section_id: string;
}

export class NamedTopic extends TopicsOfSection {
  @TopicId topic_id: string;
}

@FieldsWithoutEffect('creator updater')
@FieldsOfAnswer(() => PreferenceTopic)
export class ReplaceTopic extends CreateTopic {
  @TopicId topic_id: string;
}

/** A topic that people can subscribe to, or opt out of. */
export class PreferenceTopic {
  /** Id of the topic, generated when it was created. @example "tpc_7Hd2kQm3xYb5nVwZ4cRt" */
  @Text id: string;

  /** Name of the topic for people. @example "Releases" */
  @Text name: string;

  /** Whether users without a choice get messages of the topic; with `REQUIRED` they cannot opt out. @example "OPTED_IN" */
  @TopicStatus default_status: PreferenceStatus;

  /** The choices that a preference page offers beside opting in and out. @example ["snooze"] */
  @SomeOf(ALLOWED_PREFERENCES) allowed_preferences: AllowedPreference[];

  /** What the topic is about, for people; absent if there is no text. @example "Every new version" */
  @OptionalText description?: string;

  /** Whether e-mails of the topic request a `List-Unsubscribe` header. @example false */
  @Flag include_unsubscribe_header: boolean;

  /** The channels that a preference page offers. @example ["email", "push"] */
  @SomeOf(CHANNEL_CLASSES) routing_options: ChannelClass[];

  /** Fields for your own use, as written. @example { "icon": "rocket" } */
  @AnyObject topic_data: Record<string, unknown>;

  /** When it was created: ISO 8601 in UTC. @example "2026-03-01T10:00:00.000Z" */
  @IsoDate created: string;

  /** When it was last replaced: ISO 8601 in UTC. @example "2026-03-01T10:00:00.000Z" */
  @IsoDate updated: string;
}

class PreferenceTopics {
  /** All topics of the section, the oldest first. */
  @IsListOf(PreferenceTopic) results: PreferenceTopic[];
}

export const preferenceTopics = defineOperations(
  'identity.preference-topics',
  'preference-sections',
  {
    /**
     * A section has at most 500 topics, a workspace 2,000. The id is generated.
     * @example { "name": "Releases", "default_status": "OPTED_IN" }
     */
    create: {
      audit: 'preference-topic:created',
      auditTarget: ['id'],
      command: true,
      servedInPart: true,
      route: 'POST /preferences/sections/:section_id/topics',
      status: 201,
      summary: 'Create a topic',
      request: CreateTopic,
      response: PreferenceTopic,
    },
    /** One answer has all topics of the section. */
    list: {
      route: 'GET /preferences/sections/:section_id/topics',
      summary: 'List the topics of a section',
      request: TopicsOfSection,
      response: PreferenceTopics,
    },
    /** Answers 404 if the topic is in another section. */
    retrieve: {
      route: 'GET /preferences/sections/:section_id/topics/:topic_id',
      summary: 'Get a topic',
      request: NamedTopic,
      response: PreferenceTopic,
    },
    /** Fields that are left out get their defaults. @example { "name": "Releases", "default_status": "OPTED_IN" } */
    replace: {
      audit: 'preference-topic:replaced',
      auditTarget: ['topic_id'],
      command: true,
      servedInPart: true,
      route: 'PUT /preferences/sections/:section_id/topics/:topic_id',
      summary: 'Replace a topic; choices of users stay',
      request: ReplaceTopic,
      response: PreferenceTopic,
    },
    /** Choices and tenant defaults for the topic have no effect any more. Its id is not used again. */
    remove: {
      audit: 'preference-topic:deleted',
      auditTarget: ['topic_id'],
      command: true,
      route: 'DELETE /preferences/sections/:section_id/topics/:topic_id',
      summary: 'Delete a topic; choices of users no longer count',
      request: NamedTopic,
    },
  },
  { generation: 'later' },
);
