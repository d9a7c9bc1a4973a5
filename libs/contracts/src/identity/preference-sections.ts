import { Flag, Int, IsListOf, IsoDate, Optional, OptionalFlag, OptionalText, OptionalTextOf, SomeOf, Text, TextOf } from '../core/fields';
import { defineOperations, Nothing } from '../core/operation';
import { CHANNEL_CLASSES, type ChannelClass } from '../core/channels';
import { TopicId } from '../core/preferences';
import { PreferenceTopic } from './preference-topics';

export const SECTIONS_PER_WORKSPACE_MAX = 200;
/** Size of all sections and topics of a workspace, as JSON: one answer contains all of them. */
export const PREFERENCE_PAGE_BYTES_MAX = 3_000_000;
const SECTION_NAME_LENGTH_MAX = 150;
const SECTION_DESCRIPTION_LENGTH_MAX = 1_000;

/** The fields of a section, to create or replace it; absent fields get their defaults. */
export class SectionFields {
  @TextOf(1, SECTION_NAME_LENGTH_MAX) name: string;

  @OptionalTextOf(SECTION_DESCRIPTION_LENGTH_MAX) description?: string | null;

  /** Whether a preference page lets people choose channels for the whole section. */
  @OptionalFlag has_custom_routing?: boolean | null;

  /** The channels a preference page offers. */
  @Optional(SomeOf(CHANNEL_CLASSES, CHANNEL_CLASSES.length)) routing_options?: ChannelClass[] | null;
}

export class NamedSection {
  @TopicId section_id: string;
}

export class ReplaceSection extends SectionFields {
  @TopicId section_id: string;
}

/** A part of the preference page. */
export class PreferenceSection {
  @Text id: string;

  @Text name: string;

  @OptionalText description?: string;

  @Flag has_custom_routing: boolean;

  @SomeOf(CHANNEL_CLASSES) routing_options: ChannelClass[];

  /** The oldest first. */
  @IsListOf(PreferenceTopic) topics: PreferenceTopic[];

  @IsoDate created: string;

  @IsoDate updated: string;
}

class PreferenceSections {
  /** The oldest first. */
  @IsListOf(PreferenceSection) results: PreferenceSection[];
}

/** Absent fields stay as last published; `null` removes them. */
export class PublishPreferences {
  /** `default`, `none`, or a brand's id. */
  @OptionalTextOf(1, 256) brand_id?: string | null;

  @OptionalTextOf(SECTION_NAME_LENGTH_MAX) heading?: string | null;

  @OptionalTextOf(SECTION_DESCRIPTION_LENGTH_MAX) description?: string | null;
}

export class PublishedPreferences {
  /** The same for every publication of a workspace. */
  @Text page_id: string;

  @IsoDate published_at: string;

  /** Grows with every publication; ms since the epoch. */
  @Int published_version: number;
}

export const preferenceSections = defineOperations(
  'identity.preference-sections',
  'preference-sections',
  {
    create: {
      command: true,
      route: 'POST /preferences/sections',
      status: 201,
      summary: 'Create a section of topics',
      request: SectionFields,
      response: PreferenceSection,
    },
    list: {
      route: 'GET /preferences/sections',
      summary: 'List sections with their topics',
      request: Nothing,
      response: PreferenceSections,
    },
    retrieve: {
      route: 'GET /preferences/sections/:section_id',
      summary: 'Get a section with its topics',
      request: NamedSection,
      response: PreferenceSection,
    },
    replace: {
      command: true,
      route: 'PUT /preferences/sections/:section_id',
      summary: 'Replace a section; its topics stay',
      request: ReplaceSection,
      response: PreferenceSection,
    },
    remove: {
      command: true,
      route: 'DELETE /preferences/sections/:section_id',
      summary: 'Delete a section that has no topics',
      request: NamedSection,
      mayConflict: true,
    },
    publish: {
      command: true,
      route: 'POST /preferences/publish',
      summary: 'Publish the preference page',
      request: PublishPreferences,
      response: PublishedPreferences,
    },
  },
  { generation: 'later' },
);
