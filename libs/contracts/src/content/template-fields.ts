import { Transform } from 'class-transformer';
import { IsIn, IsOptional } from 'class-validator';
import {
  AnyObject,
  Int,
  OptionalInt,
  OptionalNested,
  OptionalText,
  OptionalTextOf,
  OptionalTextsOf,
  Text,
  TextOf,
  Texts,
} from '../core/fields';
import { TopicId } from '../core/preferences';
import type { ElementalContent } from './elemental';

/** Creator and last updater of a resource, with the times in ms since the epoch. */
export class Authored {
  @Int created: number;

  @Text creator: string;

  /** Absent until the first change. */
  @OptionalInt updated?: number;

  @OptionalText updater?: string;
}

export const TEMPLATE_ID_LENGTH_MAX = 256;
export const TemplateId = TextOf(1, TEMPLATE_ID_LENGTH_MAX);
export const TEMPLATE_TAGS_MAX = 100;
export const TEMPLATE_TAG_LENGTH_MAX = 256;
/** `draft`, `published`, `published:v002`, `v001`. */
export const VERSION_LENGTH_MAX = 32;
export const OptionalVersion = OptionalTextOf(VERSION_LENGTH_MAX);
export const StrategyId = TextOf(1, 256);
const ADDRESS_LENGTH_MAX = 1_000;
const Address = OptionalTextOf(ADDRESS_LENGTH_MAX);
const Addresses = OptionalTextsOf(50, ADDRESS_LENGTH_MAX);
export const IfMatch = OptionalTextOf(256);

export const TEMPLATE_STATES = ['DRAFT', 'PUBLISHED'] as const;
export type TemplateState = (typeof TEMPLATE_STATES)[number];

/** Clients write states in any case. */
const upperCase = ({ value }: { value: unknown }) => (typeof value === 'string' ? value.toUpperCase() : value);

/** The target state of a change of a template. */
export class TemplateChange {
  /** `PUBLISHED` publishes the draft with the change. Default `DRAFT`. */
  @IsOptional()
  @Transform(upperCase)
  @IsIn(TEMPLATE_STATES)
  state?: TemplateState | null;
}

class TemplateBrand {
  @TextOf(1, 512) id: string;
}

class TemplateSubscription {
  @TopicId topic_id: string;
}

class TemplateRouting {
  @StrategyId strategy_id: string;
}

/** Sender and additional recipients of a template's e-mails, unless the send sets them. */
export class TemplateEmail {
  @Address from?: string | null;

  @Address reply_to?: string | null;

  @Addresses cc?: string[] | null;

  @Addresses bcc?: string[] | null;
}

/** A template as its author writes it. */
export class TemplatePayload {
  @TextOf(1, 512) name: string;

  @OptionalTextsOf(TEMPLATE_TAGS_MAX, 1, TEMPLATE_TAG_LENGTH_MAX) tags?: string[] | null;

  /** `null`: without a brand. */
  @OptionalNested(TemplateBrand) brand?: TemplateBrand | null;

  @OptionalNested(TemplateSubscription) subscription?: TemplateSubscription | null;

  @OptionalNested(TemplateRouting) routing?: TemplateRouting | null;

  @AnyObject content: ElementalContent;

  /** Another name for sends. Absent: unchanged; `null`: none. Not versioned. */
  @OptionalTextOf(1, 256) alias?: string | null;

  @OptionalNested(TemplateEmail) email?: TemplateEmail | null;
}

export class NamedTemplate {
  @TemplateId id: string;
}

/** A template in a listing. Times are ms since the epoch. */
export class TemplateSummary extends Authored {
  @Text id: string;

  @Text name: string;

  @IsIn(TEMPLATE_STATES) state: TemplateState;

  @Texts tags: string[];

  @OptionalText subscription_topic_id?: string;

  /** The same as `subscription_topic_id`. */
  @OptionalText topic_id?: string;
}

/** One version of a template. */
export class Template extends Authored {
  @Text id: string;

  @Text name: string;

  @Texts tags: string[];

  @OptionalNested(TemplateBrand) brand: TemplateBrand | null;

  @OptionalNested(TemplateSubscription) subscription: TemplateSubscription | null;

  @OptionalNested(TemplateRouting) routing: TemplateRouting | null;

  /** As stored by the client. */
  @AnyObject content: ElementalContent;

  @OptionalText alias?: string;

  @OptionalNested(TemplateEmail) email?: TemplateEmail;

  /** `PUBLISHED` if this version was published. */
  @IsIn(TEMPLATE_STATES) state: TemplateState;

  /** Changes with every change of the template; for `if_match`. */
  @Text etag: string;
}
