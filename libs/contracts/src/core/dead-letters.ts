import { ArrayMinSize } from 'class-validator';
import {
  Flag,
  Int,
  IsListOf,
  IsoDate,
  OptionalLimit,
  OptionalObject,
  OptionalText,
  OptionalTextOf,
  Text,
  TextOf,
  Texts,
  TextsOf,
} from './fields';
import { CursorQuery, PAGE_LIMIT_MAX, pageOf } from './paging';

/** Characters of the longest name of a topic that Kafka allows. */
const TOPIC_LENGTH_MAX = 249;
const ID_LENGTH_MAX = 300;
/** Most dead letters of one step. */
export const DEAD_LETTERS_STEP = PAGE_LIMIT_MAX;
/** Characters of the records of one answer; one that is larger is an answer of its own. */
export const RECORDS_CHARACTERS_MAX = 3 * 1024 * 1024;
/** Decimal digits. */
const POSITION_LENGTH_MAX = 25;

/** A record that a service could not process, and that waits for an operator. */
export class DeadLetterSummary {
  /** The topic, and what names the dead letter there. @example "tidings.message-requests.v1:0aJq7dWb2LhYkE9s" */
  @Text id: string;

  /** The topic of the record, without the prefix. @example "tidings.message-requests.v1" */
  @Text topic: string;

  /** The partition of the record; 0 in PostgreSQL. @example 4 */
  @Int partition: number;

  /** The offset of the record in its partition, in decimal digits; in PostgreSQL its position. @example "1742" */
  @Text offset: string;

  /** The consumer group that could not process it. @example "tidings.messaging.router" */
  @Text group: string;

  /** The last error. @example "unauthenticated: unsigned" */
  @Text error: string;

  /** When it became a dead letter, in ISO 8601. @example "2026-11-29T10:00:00.000Z" */
  @IsoDate time: string;

  /** How often its handler was called with it; 0 for a record that could not be read or verified. @example 2 */
  @Int count: number;
}

/** A dead letter with its record. */
export class DeadLetterRecord extends DeadLetterSummary {
  /** When the log appended the record, in ISO 8601. @example "2026-11-29T09:59:59.000Z" */
  @IsoDate appended_at: string;

  /** Whether one of our processes wrote the record. Otherwise no field of the record means anything. @example true */
  @Flag verified: boolean;

  /** Whether the bytes of the record are stored, so that it can be redriven. @example true */
  @Flag redrivable: boolean;

  /** The id of the event. @example "1-6567a1b2-000000000000000000000000" */
  @Text event_id: string;

  /** The key of the record. @example "5f2c8a50-0000-4000-8000-000000000000:ada" */
  @Text key: string;

  /** The running number of the event. Absent: it has none. @example "17" */
  @OptionalText sequence?: string;

  /** The headers of the record as text, in Kafka. A header that is repeated has its last value. @example {"ce_type":"tidings.message-requests.v1"} */
  @OptionalObject headers?: Record<string, string>;

  /** The first 64 Ki characters of the value as text; `null` for a tombstone, or where the bytes are not stored. @example "{\"workspaceId\":\"…\"}" */
  @OptionalText value: string | null;
}

/** Which dead letters to list. */
export class PageDeadLetters extends CursorQuery {
  /** Those of this topic alone, without the prefix. @example "tidings.message-requests.v1" */
  @OptionalTextOf(1, TOPIC_LENGTH_MAX) topic?: string;

  /** The most dead letters of a page, 1 to 100. Default 100. @example 50 */
  @OptionalLimit(PAGE_LIMIT_MAX) limit?: number;
}

/** @property results The dead letters of this page, by topic, the oldest first. */
export class DeadLetterPage extends pageOf(DeadLetterSummary) {}

/** A dead letter. */
export class NamedDeadLetter {
  /** As the list shows it. @example "tidings.message-requests.v1:0aJq7dWb2LhYkE9s" */
  @TextOf(1, ID_LENGTH_MAX) id: string;
}

/** A step over the dead letters that wait when the first step begins. Steps are repeated with `next` until it is absent. */
export class DeadLettersStep {
  /** Those of this topic alone, without the prefix. @example "tidings.message-requests.v1" */
  @OptionalTextOf(1, TOPIC_LENGTH_MAX) topic?: string | null;

  /** `next` of the step before; absent in the first one. */
  @OptionalTextOf(1, 1_000) cursor?: string | null;
}

/** A dead letter that a step left where it is. */
export class LeftDeadLetter {
  /** Its id. */
  @Text id: string;

  /** Why. */
  @Text error: string;
}

/** The result of a step. */
export class DeadLettersStepped {
  /** How many dead letters the step removed. @example 100 */
  @Int done: number;

  /** Those that it did not. */
  @IsListOf(LeftDeadLetter) left: LeftDeadLetter[];

  /** `cursor` of the next step; absent after the last one. */
  @OptionalText next?: string;
}

/** A range of the dead letters of a topic. */
export class DeadLetterRangeOf {
  @TextOf(1, TOPIC_LENGTH_MAX) topic: string;

  /** `cursor` of the last one before. */
  @OptionalTextOf(1, POSITION_LENGTH_MAX) after?: string;

  /** `cursor` of the last one; absent: to the latest. */
  @OptionalTextOf(1, POSITION_LENGTH_MAX) up_to?: string;

  /** Default 100. */
  @OptionalLimit(PAGE_LIMIT_MAX) limit?: number;
}

/** A dead letter in a range. */
export class DeadLetterInRange extends DeadLetterSummary {
  /** Where it is among the dead letters of its topic. */
  @Text cursor: string;
}

/** The dead letters of a range, the oldest first. */
export class DeadLettersOf {
  @IsListOf(DeadLetterInRange) results: DeadLetterInRange[];

  /** `cursor` of the latest one of the topic; absent where none waits. */
  @OptionalText last?: string;
}

/** Dead letters of one topic. */
export class NamedDeadLetters {
  @TextsOf(DEAD_LETTERS_STEP, 1, ID_LENGTH_MAX) @ArrayMinSize(1) ids: string[];
}

/** The record of a dead letter, as `encodeOriginal` encodes it. */
export class RedrivenRecord {
  @Text id: string;

  /** Absent where its bytes are not stored. */
  @OptionalText record?: string;
}

/** The records of the first of the named dead letters; those of the others follow in another call. */
export class RedrivenRecords {
  @IsListOf(RedrivenRecord) records: RedrivenRecord[];

  /** The named ones that wait no more. */
  @Texts missing: string[];

  /** How many of the named ones this answer is about. */
  @Int covered: number;
}

/** What a removal did not find. */
export class MissingDeadLetters {
  /** The named ones that wait no more. */
  @Texts missing: string[];
}

/** Records that are appended to their topic as they were. */
export class PutBackRecords {
  @TextOf(1, TOPIC_LENGTH_MAX) topic: string;

  @TextsOf(DEAD_LETTERS_STEP) @ArrayMinSize(1) records: string[];
}
