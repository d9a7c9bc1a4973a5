import { IsIn } from 'class-validator';
import {
  Flag,
  Int,
  IsListOf,
  IsoDate,
  Optional,
  OptionalFlag,
  OptionalNested,
  OptionalText,
  OptionalTextOf,
  SomeOf,
  Text,
  TextOf,
} from '../core/fields';
import { FieldsOfAnswer, FieldsWithoutEffect } from '../core/known-fields';
import { defineOperations, Nothing } from '../core/operation';
import { CHANNEL_CLASSES, type ChannelClass } from '../core/channels';
import { PreferenceTopic, SectionId } from './preference-topics';

export const SECTIONS_PER_WORKSPACE_MAX = 200;
/** Size of all sections and topics of a workspace, as JSON: one answer contains all of them. */
export const PREFERENCE_PAGE_BYTES_MAX = 3_000_000;
const SECTION_NAME_LENGTH_MAX = 150;
const SECTION_DESCRIPTION_LENGTH_MAX = 1_000;
/** The most removed sections and topics that a publication names, the newest first. */
export const REMOVED_SHOWN_MAX = 100;

/** The fields of a section, to create or replace it; absent fields get their defaults. */
export class SectionFields {
  /** Heading of the section on a preference page. @example "News" */
  @TextOf(1, SECTION_NAME_LENGTH_MAX) name: string;

  /** Text below the heading. @example "What happens in our shops" */
  @OptionalTextOf(SECTION_DESCRIPTION_LENGTH_MAX) description?: string | null;

  /** Whether a preference page lets people choose channels for the whole section. A hint for the page. Default `false`. @example true */
  @OptionalFlag has_custom_routing?: boolean | null;

  /**
   * The channels that a preference page offers; repeated ones count once. A hint for the page. Default: none.
   * @example ["email", "push"]
   */
  @Optional(SomeOf(CHANNEL_CLASSES, CHANNEL_CLASSES.length)) routing_options?: ChannelClass[] | null;
}

export class NamedSection {
  @SectionId section_id: string;
}

@FieldsWithoutEffect('creator updater')
@FieldsOfAnswer(() => PreferenceSection)
export class ReplaceSection extends SectionFields {
  @SectionId section_id: string;
}

/** A part of the preference page. */
export class PreferenceSection {
  /** Id of the section, generated when it was created. @example "sct_7Hd2kQm3xYb5nVwZ4cRt" */
  @Text id: string;

  /** Heading of the section on a preference page. @example "News" */
  @Text name: string;

  /** Text below the heading; absent if there is none. @example "What is new in our products" */
  @OptionalText description?: string;

  /** Whether a preference page lets people choose channels for the whole section. @example false */
  @Flag has_custom_routing: boolean;

  /** The channels that a preference page offers. @example ["email", "push"] */
  @SomeOf(CHANNEL_CLASSES) routing_options: ChannelClass[];

  /** The topics of the section, the oldest first. */
  @IsListOf(PreferenceTopic) topics: PreferenceTopic[];

  /** When it was created: ISO 8601 in UTC. @example "2026-03-01T10:00:00.000Z" */
  @IsoDate created: string;

  /** When its fields were last replaced: ISO 8601 in UTC. @example "2026-03-01T10:00:00.000Z" */
  @IsoDate updated: string;
}

class PreferenceSections {
  /** All sections of the workspace, the oldest first. */
  @IsListOf(PreferenceSection) results: PreferenceSection[];
}

/** Absent fields stay as last published; `null` removes them. */
export class PublishPreferences {
  /** Brand of the preference page: `default`, `none`, or the id of a brand. @example "default" */
  @OptionalTextOf(1, 256) brand_id?: string | null;

  /** Heading of the preference page. @example "Your preferences" */
  @OptionalTextOf(SECTION_NAME_LENGTH_MAX) heading?: string | null;

  /** Text below the heading. @example "Choose what you get from us" */
  @OptionalTextOf(SECTION_DESCRIPTION_LENGTH_MAX) description?: string | null;
}

export class PublishedPreferences {
  /** Id of the preference page; the same for every publication of a workspace. @example "default" */
  @Text page_id: string;

  /** When it was published: ISO 8601 in UTC. @example "2026-03-01T10:00:00.000Z" */
  @IsoDate published_at: string;

  /** Grows with every publication: ms since the epoch. @example 1772359200000 */
  @Int published_version: number;
}

/** The published preference page. */
export class PreferencePublication extends PublishedPreferences {
  /** Brand of the preference page; absent: that of the message. @example "default" */
  @OptionalText brand_id?: string;

  /** Heading of the preference page; absent if there is none. @example "Your preferences" */
  @OptionalText heading?: string;

  /** Text below the heading; absent if there is none. @example "Choose what you get from us" */
  @OptionalText description?: string;
}

/** A section or topic that was deleted. */
export class RemovedPreference {
  /** What it was. @example "topic" */
  @IsIn(['section', 'topic']) kind: 'section' | 'topic';

  /** Its id. @example "tpc_7Hd2kQm3xYb5nVwZ4cRt" */
  @Text id: string;

  /** When it was deleted: ISO 8601 in UTC. @example "2026-03-01T10:00:00.000Z" */
  @IsoDate removed: string;
}

export class LastPublication {
  /** The last publication; `null` if there was none. */
  @OptionalNested(PreferencePublication) publication?: PreferencePublication | null;

  /** The sections and topics that were deleted since, the newest first, at most 100. */
  @IsListOf(RemovedPreference) removed: RemovedPreference[];
}

export const preferenceSections = defineOperations(
  'identity.preference-sections',
  'preference-sections',
  {
    /** A workspace has at most 200 sections. The id is generated. @example { "name": "News", "routing_options": ["email", "push"] } */
    create: {
      audit: 'preference-section:created',
      auditTarget: ['id'],
      command: true,
      route: 'POST /preferences/sections',
      status: 201,
      summary: 'Create a section of topics',
      request: SectionFields,
      response: PreferenceSection,
    },
    /** One answer has all sections with all topics. */
    list: {
      route: 'GET /preferences/sections',
      summary: 'List sections with their topics',
      request: Nothing,
      response: PreferenceSections,
    },
    /** One section, with all its topics. */
    retrieve: {
      route: 'GET /preferences/sections/:section_id',
      summary: 'Get a section with its topics',
      request: NamedSection,
      response: PreferenceSection,
    },
    /** Fields that are left out get their defaults. @example { "name": "News", "routing_options": ["email", "push"] } */
    replace: {
      audit: 'preference-section:replaced',
      command: true,
      route: 'PUT /preferences/sections/:section_id',
      summary: 'Replace a section; its topics stay',
      request: ReplaceSection,
      response: PreferenceSection,
    },
    /** Answers 409 while the section has topics. */
    remove: {
      audit: 'preference-section:deleted',
      command: true,
      route: 'DELETE /preferences/sections/:section_id',
      summary: 'Delete a section that has no topics',
      request: NamedSection,
      mayConflict: true,
    },
    /**
     * Stores a record of the publication. Sections and topics need none: their changes apply at once. Fields that are left out stay as last
     * published, `null` removes one.
     * @example { "brand_id": "default", "heading": "Your preferences" }
     */
    publish: {
      audit: 'preferences:published',
      auditTarget: ['page_id'],
      command: true,
      route: 'POST /preferences/publish',
      summary: 'Publish the preference page',
      request: PublishPreferences,
      response: PublishedPreferences,
    },
    /** What changed since is by `created` and `updated` of sections and topics, and `removed` here. */
    publication: {
      route: 'GET /console/api/preferences/publication',
      generation: 'own',
      summary: 'Get the last publication of the preference page, and what was deleted since',
      request: Nothing,
      response: LastPublication,
    },
  },
  { generation: 'later' },
);
