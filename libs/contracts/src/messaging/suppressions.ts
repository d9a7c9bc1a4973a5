import { IsIn } from 'class-validator';
import { Int, IsListOf, OptionalFlag, OptionalLimit, OptionalOneOf, OptionalText, OptionalTextOf, Text, TextOf } from '../core/fields';
import { FieldsOfAnswer } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { CursorQuery, PAGE_LIMIT_MAX, pageOf } from '../core/paging';
import { SUPPRESSION_CHANNELS, type SuppressionChannel } from './suppression-address';
import { SUPPRESSION_REASONS, type SuppressionReason } from './suppression-reasons';

/** The source of what a client wrote, of what it imported, and of an unsubscription by the link of a message. */
export const SUPPRESSION_SOURCES = { write: 'api', import: 'import', link: 'link' } as const;

/** Of an address as given. */
const ADDRESS_LENGTH_MAX = 1_024;
/** Maximum lines of one import, and characters of its text. */
export const IMPORT_LINES_MAX = 10_000;
const IMPORT_LENGTH_MAX = 5_000_000;
/** Errors that an answer names. */
export const IMPORT_ERRORS_MAX = 100;

export class NamedSuppression {
  /** The channel. @example "email" */
  @IsIn(SUPPRESSION_CHANNELS) channel: SuppressionChannel;

  /**
   * The address, in any spelling: an e-mail address, a phone number with its country code, a push token. `%`, `?`, `/` and `#` must be
   * escaped.
   * @example "ada@example.com"
   */
  @TextOf(1, ADDRESS_LENGTH_MAX) address: string;
}

/** Absent or `null` fields get their defaults. */
@FieldsOfAnswer(() => Suppression)
export class PutSuppression extends NamedSuppression {
  /** Why nothing is sent to it. Default `manual`. @example "manual" */
  @OptionalOneOf(SUPPRESSION_REASONS) reason?: SuppressionReason | null;
}

export class ListSuppressions extends CursorQuery {
  /** Only those of this channel. @example "email" */
  @OptionalOneOf(SUPPRESSION_CHANNELS) channel?: SuppressionChannel | null;

  /** Only those with this reason. @example "hard_bounce" */
  @OptionalOneOf(SUPPRESSION_REASONS) reason?: SuppressionReason | null;

  /** Only those of this address, in any spelling. @example "ada@example.com" */
  @OptionalTextOf(1, ADDRESS_LENGTH_MAX) address?: string | null;

  /** The most items of a page, 1 to 100. Default 20. @example 50 */
  @OptionalLimit(PAGE_LIMIT_MAX) limit?: number | null;
}

/** An address to which nothing is sent on a channel. */
export class Suppression {
  /** The channel. @example "email" */
  @IsIn(SUPPRESSION_CHANNELS) channel: SuppressionChannel;

  /**
   * The address, in one spelling: e-mail addresses in lower case, phone numbers in E.164. Absent after the erasure of its owner, when only
   * a keyed hash of it is stored.
   * @example "ada@example.com"
   */
  @OptionalText address?: string;

  /** True: the address was erased; nothing is sent to it nevertheless. Else absent. @example true */
  @OptionalFlag erased?: boolean;

  /**
   * `hard_bounce`: the address does not exist. `complaint`: its owner reported a message as spam. `unsubscribe`: its owner wants no more
   * messages. `manual`: a client of the workspace decided it.
   * @example "hard_bounce"
   */
  @IsIn(SUPPRESSION_REASONS) reason: SuppressionReason;

  /** Where it comes from: `api`, `import`, `link` (of a message), or the key of the provider that reported it. @example "smtp" */
  @Text source: string;

  /** Since when the address has this reason, ISO 8601. @example "2026-03-01T10:00:00.000Z" */
  @Text created: string;

  /** The message that it follows from, if one is known. @example "1-69a40ce0-5f2b9c01d3e84a7766aa10fe" */
  @OptionalText message_id?: string;
}

export class ImportSuppressions {
  /**
   * CSV in UTF-8, at most 10,000 lines and 5 MB. The first line names the columns: `channel` and `address`, and optionally `reason`
   * (default `manual`) and `created` (ISO 8601, default now). Other columns are ignored. One line is one address.
   * @example "channel,address,reason\nemail,ada@example.com,hard_bounce\n"
   */
  @TextOf(1, IMPORT_LENGTH_MAX) csv: string;
}

export class ImportError {
  /** The line in the text; the first is 1. @example 3 */
  @Int line: number;

  /** The column. @example "address" */
  @Text field: string;

  /** What is wrong with it. @example "address must be an e-mail address (got \"ada\")" */
  @Text error: string;
}

export class ImportedSuppressions {
  /** Addresses that are suppressed as their lines say. @example 2 */
  @Int imported: number;

  /** Lines with an error. Nothing was stored of them. @example 1 */
  @Int failed: number;

  /** The errors of the first 100 of these lines. */
  @IsListOf(ImportError) errors: ImportError[];
}

/** @property results The suppressions of this page, by channel and address. */
class SuppressionPage extends pageOf(Suppression) {}

export const suppressions = defineOperations(
  'messaging.suppressions',
  'suppressions',
  {
    /** By channel and address. */
    list: {
      route: 'GET /suppressions',
      summary: 'List suppressed addresses',
      request: ListSuppressions,
      response: SuppressionPage,
    },
    /** Answers 404 for an address that is not suppressed on the channel. */
    retrieve: {
      route: 'GET /suppressions/:channel/:address',
      summary: 'Get the suppression of an address',
      request: NamedSuppression,
      response: Suppression,
    },
    /**
     * Nothing is sent to the address on the channel any more, from the next send on: a message uses its next route, or ends `UNDELIVERABLE`
     * with the reason `BOUNCED` (`hard_bounce`, `complaint`) or `UNSUBSCRIBED` (`unsubscribe`, `manual`). An earlier reason is replaced.
     * @example { "reason": "manual" }
     */
    replace: {
      audit: 'suppression:replaced',
      auditTarget: ['channel'],
      command: true,
      route: 'PUT /suppressions/:channel/:address',
      quota: 'suppressions',
      summary: 'Suppress an address on a channel',
      request: PutSuppression,
      response: Suppression,
    },
    /** Messages are sent to it again. Answers 404 for an address that is not suppressed on the channel. */
    remove: {
      audit: 'suppression:deleted',
      auditTarget: ['channel'],
      command: true,
      route: 'DELETE /suppressions/:channel/:address',
      quota: 'suppressions',
      summary: 'Remove the suppression of an address',
      request: NamedSuppression,
    },
    /**
     * The body is the CSV itself (`Content-Type: text/csv`). Lines with an error are skipped and named, all others are stored. Of several
     * lines for one address the last counts. A repetition changes nothing.
     * @example "channel,address,reason\nemail,ada@example.com,hard_bounce\n"
     */
    import: {
      audit: 'suppressions:imported',
      auditTarget: ['imported'],
      command: true,
      route: 'POST /suppressions/import',
      quota: 'suppressions',
      summary: 'Suppress the addresses of a CSV text',
      request: ImportSuppressions,
      bodyField: 'csv',
      textBody: true,
      response: ImportedSuppressions,
    },
  },
  { generation: 'own' },
);
