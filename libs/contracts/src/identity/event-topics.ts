import { Int, OptionalFlag, OptionalText, TextOf } from '../core/fields';
import { defineOperations, Nothing } from '../core/operation';

/** Characters of the longest name of a topic that Kafka allows. */
const TOPIC_LENGTH_MAX = 249;

/** A topic of events. */
export class SkipUnverified {
  /** Without the prefix. @example "tidings.profiles.v1" */
  @TextOf(1, TOPIC_LENGTH_MAX) topic: string;
}

/** The next page of what is published anew. */
export class RepublishPage {
  /** `next` of the page before; absent for the first page. */
  @OptionalText cursor?: string | null;
}

/** What a page published. */
export class RepublishedPage {
  /** Records that were appended. */
  @Int published: number;

  /** Cursor of the next page; absent after the last one. */
  @OptionalText next?: string;

  /** `false` where records are not signed: those of a standalone, in PostgreSQL. */
  @OptionalFlag signed?: boolean;
}

/** Topics of events over Kafka, whose records are signed. */
export const eventTopics = defineOperations('identity.event-topics', 'internal', {
  skipUnverified: {
    audit: 'own',
    command: true,
    summary: 'Go past the records of a topic that are signed with unknown keys and were appended before',
    request: SkipUnverified,
    response: Nothing,
  },
  republishProfiles: {
    audit: 'own',
    command: true,
    summary: 'Publish a page of profiles anew',
    request: RepublishPage,
    response: RepublishedPage,
  },
  republishMemberships: {
    audit: 'own',
    command: true,
    summary: 'Publish the tenants of a page of users anew',
    request: RepublishPage,
    response: RepublishedPage,
  },
});
