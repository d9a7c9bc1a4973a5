import { Transform } from 'class-transformer';
import { IsIn, IsOptional } from 'class-validator';
import {
  AnyObject,
  Int,
  OptionalFlag,
  OptionalInt,
  OptionalNested,
  OptionalText,
  OptionalTextOf,
  OptionalTextsOf,
  Text,
  TextOf,
  Texts,
} from '../core/fields';
import { FieldsOfAnswer } from '../core/known-fields';
import { TopicId } from '../core/preferences';
import type { ElementalContent } from './elemental';

/** Creator and last updater of a resource, with the times in ms since the epoch. */
export class Authored {
  /** When it was created, ms since the epoch. @example 1772359200000 */
  @Int created: number;

  /** Who created it: `api`, as API keys are the only authors. @example "api" */
  @Text creator: string;

  /** When it was last changed, ms since the epoch; absent before. @example 1772359200000 */
  @OptionalInt updated?: number;

  /** Who changed it last: `api`; absent before. @example "api" */
  @OptionalText updater?: string;
}

export const TEMPLATE_ID_LENGTH_MAX = 256;
/** Id of the template, generated when it was created. @example "nt_3Xo0aB1dQkS9fT2uVw5z" */
export const TemplateId = TextOf(1, TEMPLATE_ID_LENGTH_MAX);
export const TEMPLATE_TAGS_MAX = 100;
export const TEMPLATE_TAG_LENGTH_MAX = 256;
/** `draft`, `published`, `published:v002`, `v001`. */
export const VERSION_LENGTH_MAX = 32;
export const OptionalVersion = OptionalTextOf(VERSION_LENGTH_MAX);
/** Id of the routing strategy, generated when it was created. @example "rs_3Xo0aB1dQkS9fT2uVw5z" */
export const StrategyId = TextOf(1, 256);
const ADDRESS_LENGTH_MAX = 1_000;
const Address = OptionalTextOf(ADDRESS_LENGTH_MAX);
const Addresses = OptionalTextsOf(50, ADDRESS_LENGTH_MAX);
/**
 * The `etag` of the version that you read, or the header `If-Match`: the change is refused with 409 if the template changed since. Default:
 * not checked.
 * @example "r2"
 */
export const IfMatch = OptionalTextOf(256);

export const TEMPLATE_STATES = ['DRAFT', 'PUBLISHED'] as const;
export type TemplateState = (typeof TEMPLATE_STATES)[number];

/** Clients write states in any case. */
const upperCase = ({ value }: { value: unknown }) => (typeof value === 'string' ? value.toUpperCase() : value);

/** The target state of a change of a template. */
export class TemplateChange {
  /** `PUBLISHED`, in any case, publishes the draft with the change. Default `DRAFT`. @example "PUBLISHED" */
  @IsOptional()
  @Transform(upperCase)
  @IsIn(TEMPLATE_STATES)
  state?: TemplateState | null;
}

class TemplateBrand {
  /** Id of the brand; one that does not exist has no effect. @example "acme" */
  @TextOf(1, 512) id: string;
}

class TemplateSubscription {
  /** Id of the topic whose preferences apply; it is not checked. @example "tpc_7Hd2kQm3xYb5nVwZ4cRt" */
  @TopicId topic_id: string;
}

class TemplateRouting {
  /** Id of a routing strategy, which must exist. @example "rs_3Xo0aB1dQkS9fT2uVw5z" */
  @StrategyId strategy_id: string;
}

/** Sender and additional recipients of a template's e-mails, unless the send sets them. */
export class TemplateEmail {
  /** Sender: `a@example.com` or `Name <a@example.com>`. Default: that of the provider. @example "Acme <hello@example.com>" */
  @Address from?: string | null;

  /** Address for replies, in the same form. @example "help@example.com" */
  @Address reply_to?: string | null;

  /** Addresses that get a copy, in the same form. @example ["team@example.com"] */
  @Addresses cc?: string[] | null;

  /** Addresses that get a copy and are not shown, in the same form. @example ["archive@example.com"] */
  @Addresses bcc?: string[] | null;
}

/** A template as its author writes it. */
@FieldsOfAnswer(() => Template)
export class TemplatePayload {
  /** Display name. @example "Order shipped" */
  @TextOf(1, 512) name: string;

  /** Tags for the list of templates. Absent or `null`: none. @example ["orders"] */
  @OptionalTextsOf(TEMPLATE_TAGS_MAX, 1, TEMPLATE_TAG_LENGTH_MAX) tags?: string[] | null;

  /** Brand of the messages. Absent or `null`: without a brand. @example { "id": "acme" } */
  @OptionalNested(TemplateBrand) brand?: TemplateBrand | null;

  /** The topic of the messages. Absent or `null`: none, so that no preferences by topic apply. */
  @OptionalNested(TemplateSubscription) subscription?: TemplateSubscription | null;

  /** The routing strategy of the messages. Absent or `null`: that of the send, or the default. */
  @OptionalNested(TemplateRouting) routing?: TemplateRouting | null;

  /**
   * The content in Elemental, `{version, elements}`: at most 1 MB, 2,000 elements, 12 levels.
   * @example { "version": "2022-01-01", "elements": [{ "type": "text", "content": "Hello {name}" }] }
   */
  @AnyObject content: ElementalContent;

  /**
   * Another name of the template in sends, unique in the workspace; not versioned. Absent: it stays; `null`: none.
   * @example "order-shipped"
   */
  @OptionalTextOf(1, 256) alias?: string | null;

  /** Sender and additional recipients of its e-mails, unless the send sets them. */
  @OptionalNested(TemplateEmail) email?: TemplateEmail | null;

  /**
   * Whether a variable that is shown and has no value fails the channel, before its provider is called. Absent or `null`: false.
   * @example true
   */
  @OptionalFlag throw_on_missing_variable?: boolean | null;
}

export class NamedTemplate {
  @TemplateId id: string;
}

/** A template in a listing. Times are ms since the epoch. */
export class TemplateSummary extends Authored {
  /** Id of the template, generated when it was created. @example "nt_3Xo0aB1dQkS9fT2uVw5z" */
  @Text id: string;

  /** Display name. @example "Order shipped" */
  @Text name: string;

  /** `PUBLISHED` if a version is published. @example "PUBLISHED" */
  @IsIn(TEMPLATE_STATES) state: TemplateState;

  /** Tags of the template. @example ["orders"] */
  @Texts tags: string[];

  /** Id of the topic of the messages; absent without one. @example "tpc_7Hd2kQm3xYb5nVwZ4cRt" */
  @OptionalText subscription_topic_id?: string;

  /** The same as `subscription_topic_id`. @example "tpc_7Hd2kQm3xYb5nVwZ4cRt" */
  @OptionalText topic_id?: string;
}

/** One version of a template. */
export class Template extends Authored {
  /** Id of the template, generated when it was created. @example "nt_3Xo0aB1dQkS9fT2uVw5z" */
  @Text id: string;

  /** Display name. @example "Order shipped" */
  @Text name: string;

  /** Tags of the template. @example ["orders"] */
  @Texts tags: string[];

  /** Brand of the messages; `null`: without a brand. */
  @OptionalNested(TemplateBrand) brand: TemplateBrand | null;

  /** The topic of the messages; `null` without one. */
  @OptionalNested(TemplateSubscription) subscription: TemplateSubscription | null;

  /** The routing strategy of the messages; `null` without one. */
  @OptionalNested(TemplateRouting) routing: TemplateRouting | null;

  /** The content as put. @example { "version": "2022-01-01", "elements": [{ "type": "text", "content": "Hello {name}" }] } */
  @AnyObject content: ElementalContent;

  /** Another name of the template in sends; absent if it has none. @example "order-shipped" */
  @OptionalText alias?: string;

  /** Sender and additional recipients of its e-mails; absent if there are none. */
  @OptionalNested(TemplateEmail) email?: TemplateEmail;

  /** Whether a variable without value fails the channel; absent: false. @example true */
  @OptionalFlag throw_on_missing_variable?: boolean;

  /** `PUBLISHED` if this version was published. @example "PUBLISHED" */
  @IsIn(TEMPLATE_STATES) state: TemplateState;

  /** Changes with every change of the template; for `if_match`. Also in the header `ETag`. @example "r2" */
  @Text etag: string;
}
