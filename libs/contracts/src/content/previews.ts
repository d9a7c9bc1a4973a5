import { IsListOf, OptionalNested, OptionalObject, OptionalOneOf, OptionalText, OptionalTextOf, Text, Texts } from '../core/fields';
import { defineOperations } from '../core/operation';
import { CHANNELS } from '../core/channels';
import { OptionalTenantId } from '../identity/tenants';
import { ChannelOutput } from './message-output';
import { BRAND_ID_LENGTH_MAX, BRAND_NAME_LENGTH_MAX, BrandAppearance } from './brands';
import { EVENT_ID_LENGTH_MAX } from './event-mappings';
import { LOCALE_LENGTH_MAX } from './locale';
import { OptionalVersion } from './template-fields';

/** The channels that can be previewed. */
export type PreviewChannel = (typeof CHANNELS)[number];

/** A brand that is not stored, in the form of `PUT /brands/:brand_id`. Inherits from the default brand like a stored brand. */
export class PreviewBrand extends BrandAppearance {
  @OptionalTextOf(BRAND_NAME_LENGTH_MAX) name?: string | null;
}

/** The content to preview, `template` or `content`, and its recipient. */
export class PreviewContent {
  /** A template's id or alias, or an event mapped to one. */
  @OptionalTextOf(1, EVENT_ID_LENGTH_MAX) template?: string | null;

  /** Version of the template: `draft`, `published`, `v001`. Default: the published version, or the draft if there is none. */
  @OptionalVersion version?: string | null;

  /** Content that is not stored: `{title, body}`, or Elemental. */
  @OptionalObject content?: object | null;

  /** Default: every channel for which there is content. */
  @OptionalOneOf(CHANNELS) channel?: PreviewChannel | null;

  /** The provider to render for, `slack`; only with `channel`. */
  @OptionalTextOf(1, 256) provider?: string | null;

  /** Locale of the recipient. Default: `profile.locale`. */
  @OptionalTextOf(LOCALE_LENGTH_MAX) locale?: string | null;

  /** Brand to use instead of the template's. */
  @OptionalTextOf(1, BRAND_ID_LENGTH_MAX) brand_id?: string | null;

  /** Brand to use instead of any stored one. */
  @OptionalNested(PreviewBrand) brand?: PreviewBrand | null;

  /** The tenant whose template of that name is used instead of the workspace's. */
  @OptionalTenantId tenant_id?: string | null;

  @OptionalObject data?: Record<string, unknown> | null;

  /** Profile of the recipient; no stored profile is used. */
  @OptionalObject profile?: Record<string, unknown> | null;
}

/** The output for one channel, with warnings for the author. */
export class PreviewOutput extends ChannelOutput {
  /**
   * The output in the channel's own form: `text`, `blocks` for Slack, `card` for Teams and `posts` for Discord, `data` of a push,
   * `actions` of an inbox message; and the content's `raw` with its variables replaced. Absent for e-mail.
   */
  @OptionalObject payload?: Record<string, unknown>;

  @Texts warnings: string[];
}

/** The reason why a channel has no output. */
export class PreviewError {
  @Text channel: string;

  /** The requested provider; empty if none was named. */
  @Text channel_id: string;

  /** Begins with the path of the element that failed, if any. */
  @Text message: string;
}

export class Preview {
  /** In the form of `GET /messages/:message_id/output`; `channel_id` is empty if no provider was named. */
  @IsListOf(PreviewOutput) results: PreviewOutput[];

  /** Channels that could not be rendered. */
  @IsListOf(PreviewError) errors: PreviewError[];

  /** The rendered version: `draft`, `v001`, a tenant's `v1`. Absent for content of the request. */
  @OptionalText version?: string;
}

export const previews = defineOperations('content.previews', 'notifications', {
  render: {
    route: 'POST /content/preview',
    generation: 'own',
    scope: 'read:notifications',
    summary: 'Render a template, or content, for each channel; nothing is stored or sent',
    request: PreviewContent,
    response: Preview,
    repeatable: true,
  },
});
