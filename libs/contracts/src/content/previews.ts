import { IsListOf, OptionalNested, OptionalObject, OptionalOneOf, OptionalText, OptionalTextOf, Text, Texts } from '../core/fields';
import { declaredFields } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { CHANNELS } from '../core/channels';
import { OptionalTenantId } from '../identity/tenants';
import { ChannelOutput } from './message-output';
import { APPEARANCE_FIELDS, BRAND_ID_LENGTH_MAX, BRAND_NAME_LENGTH_MAX, BrandAppearance } from './brands';
import { DELIVERY_FIELDS } from './delivery-fields';
import { EVENT_ID_LENGTH_MAX } from './event-mappings';
import { LOCALE_LENGTH_MAX } from './locale';
import { OptionalVersion } from './template-fields';

/** The channels that can be previewed. */
export type PreviewChannel = (typeof CHANNELS)[number];

/** A brand that is not stored, in the form of `PUT /brands/:brand_id`. Inherits from the default brand like a stored brand. */
export class PreviewBrand extends BrandAppearance {
  /** Display name of the brand; templates read it as `brand.name`. @example "Acme" */
  @OptionalTextOf(BRAND_NAME_LENGTH_MAX) name?: string | null;
}

/** The content to preview, of `template` or `content`, and its recipient. */
export class PreviewContent {
  /** Template to render: its id, its alias, or an event mapped to it. Required without `content`. @example "order-shipped" */
  @OptionalTextOf(1, EVENT_ID_LENGTH_MAX) template?: string | null;

  /**
   * Version of the template: `draft`, `published`, or one such as `v001`. Default: the published version, or the draft if there is none.
   * @example "draft"
   */
  @OptionalVersion version?: string | null;

  /**
   * Content to render that is not stored: `{title, body}`, or Elemental. With `template` it replaces the content of that template, whose
   * brand and other settings apply.
   * @example { "title": "Hello {name}", "body": "Your order has shipped." }
   */
  @OptionalObject content?: object | null;

  /** Channel to render for. Default: every channel with content, except `banner`. @example "email" */
  @OptionalOneOf(CHANNELS) channel?: PreviewChannel | null;

  /** Provider to render for, such as `slack`; only with `channel`. @example "slack" */
  @OptionalTextOf(1, 256) provider?: string | null;

  /** Language of the recipient. Default: `profile.locale`. @example "fr_FR" */
  @OptionalTextOf(LOCALE_LENGTH_MAX) locale?: string | null;

  /** Brand to use, instead of the template's. @example "acme" */
  @OptionalTextOf(1, BRAND_ID_LENGTH_MAX) brand_id?: string | null;

  /** Brand to use that is not stored, instead of any stored one. */
  @OptionalNested(PreviewBrand) brand?: PreviewBrand | null;

  /** Tenant whose template of that name is used, instead of the workspace's. @example "acme" */
  @OptionalTenantId tenant_id?: string | null;

  /** Variables of the content. @example { "order": "A-17" } */
  @OptionalObject data?: Record<string, unknown> | null;

  /** Profile of the recipient; no stored profile is used. @example { "name": "Ada" } */
  @OptionalObject profile?: Record<string, unknown> | null;
}

/** The output for one channel, with warnings for the author. */
export class PreviewOutput extends ChannelOutput {
  /**
   * The output in the channel's own form: `text`, `blocks` for Slack, `card` for Teams, `posts` for Discord, `data` of a push, `actions` of
   * an inbox message, and the content's `raw` with its variables replaced. Absent for e-mail.
   */
  @OptionalObject payload?: Record<string, unknown>;

  /** Sentences for the author about what was left out or could not be read; empty if there are none. @example [] */
  @Texts warnings: string[];
}

/** The reason why a channel has no output. */
export class PreviewError {
  /** The channel without output. @example "push" */
  @Text channel: string;

  /** The requested provider, or else the channel. @example "push" */
  @Text channel_id: string;

  /**
   * Why there is no output; begins with the path of the element that failed, if any.
   * @example "elements[1].content: Template line 2: the block is not closed"
   */
  @Text message: string;
}

export class Preview {
  /** The rendered content, as in `GET /messages/:message_id/output`; `channel_id` is the requested provider, or else the channel. */
  @IsListOf(PreviewOutput) results: PreviewOutput[];

  /** Channels that could not be rendered. */
  @IsListOf(PreviewError) errors: PreviewError[];

  /** The rendered version: `draft`, `v001`, or `v1` of a tenant's. Absent for content of the request. @example "v001" */
  @OptionalText version?: string;
}

export const previews = defineOperations('content.previews', 'notifications', {
  /**
   * `template` or `content` is required. At most four previews of a workspace wait; others are answered with 429 and `Retry-After`.
   * @example { "template": "order-shipped", "data": { "order": "A-17" }, "profile": { "name": "Ada" } }
   */
  render: {
    route: 'POST /content/preview',
    generation: 'own',
    scope: 'read:notifications',
    summary: 'Render a template, or content, for each channel; nothing is stored or sent',
    request: PreviewContent,
    requiresBody: true,
    knownFields: declaredFields(PreviewContent, {
      brand: declaredFields(PreviewBrand, APPEARANCE_FIELDS),
      content: DELIVERY_FIELDS.content,
    }),
    response: Preview,
    repeatable: true,
  },
});
