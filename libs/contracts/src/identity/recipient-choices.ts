import { IsIn } from 'class-validator';
import { CHANNEL_CLASSES, type ChannelClass } from '../core/channels';
import { IsListOf, Optional, OptionalFlag, OptionalTextOf, SomeOf } from '../core/fields';
import { defineOperations } from '../core/operation';
import { TopicId } from '../core/preferences';
import { TOPICS_PER_WORKSPACE_MAX } from './preference-topics';
import { UserId } from './profiles';
import { OptionalTenantId } from './tenants';
import { CHOICES, type Choice, type TopicPreference } from './user-preferences';

const MESSAGE_ID_LENGTH_MAX = 64;

export class LoadPreferencePage {
  @UserId user_id: string;

  /** The tenant in whose context choices count. */
  @OptionalTenantId tenant_id?: string;

  /** The topic of the message with the link. */
  @Optional(TopicId) topic_id?: string;

  /** Whether every section with its topics is loaded. */
  @OptionalFlag sections?: boolean;
}

/** A topic on the preference page. */
export interface PageTopic extends TopicPreference {
  description?: string;
  /** The channels to choose from; empty where none are offered. */
  channels: ChannelClass[];
}

/** A section on the preference page, with at least one topic. */
export interface PageSection {
  name: string;
  description?: string;
  topics: PageTopic[];
}

export class PreferencePage {
  /** As published; absent without a publication. */
  heading?: string;
  description?: string;
  /** `default`, `none`, or the id of a brand. */
  brand_id?: string;
  /** Of the user's profile. */
  locale?: string;
  /** The topic that was named; absent where it does not exist. */
  topic?: TopicPreference;
  /** The oldest first; empty unless requested. */
  sections: PageSection[];
}

/** The choice on the page for one topic. */
export class PageChoice {
  @TopicId topic_id: string;

  @IsIn(CHOICES) status: Choice;

  /** The only channels to use. Absent: those that were chosen before stay. Empty: any channel. */
  @Optional(SomeOf(CHANNEL_CLASSES)) channels?: ChannelClass[];
}

export class SavePreferencePage {
  @UserId user_id: string;

  @OptionalTenantId tenant_id?: string;

  @IsListOf(PageChoice, TOPICS_PER_WORKSPACE_MAX) topics: PageChoice[];

  /** The message with the link to the page. */
  @OptionalTextOf(1, MESSAGE_ID_LENGTH_MAX) message_id?: string;
}

export class OptOut {
  @UserId user_id: string;

  /** Absent: the choice counts in every tenant; opt-ins of the user in tenants are replaced as well. */
  @OptionalTenantId tenant_id?: string;

  @TopicId topic_id: string;

  /** The message with the link. */
  @OptionalTextOf(1, MESSAGE_ID_LENGTH_MAX) message_id?: string;
}

/** Choices that recipients make themselves, without an API key: their links authorise them. */
export const recipientChoices = defineOperations('identity.recipient-choices', 'internal', {
  page: {
    summary: 'What the pages of a recipient show: the published page, the language of the profile, topics and choices',
    request: LoadPreferencePage,
    response: PreferencePage,
    repeatable: true,
  },
  save: {
    command: true,
    summary: 'Store those choices of the preference page that differ from the effective ones; required and unknown topics stay',
    request: SavePreferencePage,
  },
  optOut: {
    pattern: 'identity.recipient-choices.opt-out',
    command: true,
    summary: 'Opt a user out of a topic by the link of a message; required and unknown topics stay',
    request: OptOut,
  },
});
