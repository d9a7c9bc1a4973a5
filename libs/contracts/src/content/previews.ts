import { Type } from 'class-transformer';
import { IsArray, IsIn, IsObject, IsOptional, IsString, Length, MaxLength, ValidateNested } from 'class-validator';
import { defineOperation } from '../core/operation';
import { CHANNELS } from '../core/channels';
import { TENANT_ID_LENGTH_MAX } from '../identity/tenants';
import { ChannelOutput } from '../messaging/message-output';
import { BRAND_ID_LENGTH_MAX, BRAND_NAME_LENGTH_MAX, BrandLook } from './brands';
import { EVENT_ID_LENGTH_MAX } from './event-mappings';
import { LOCALE_LENGTH_MAX } from './locale';
import { VERSION_LENGTH_MAX } from './template-fields';

/** What can be previewed. */
export type PreviewChannel = (typeof CHANNELS)[number];

const PROVIDER_LENGTH_MAX = 256;

/** A brand that is not stored, as `PUT /brands/:brand_id` would take it. Takes from the default brand what that one would. */
export class PreviewBrand extends BrandLook {
  @IsOptional()
  @IsString()
  @MaxLength(BRAND_NAME_LENGTH_MAX)
  name?: string | null;
}

/** What is to be shown: `template` or `content`, said to somebody. */
export class PreviewContent {
  /** A template's id or alias, or an event that is mapped to one. */
  @IsOptional()
  @IsString()
  @Length(1, EVENT_ID_LENGTH_MAX)
  template?: string | null;

  /** Of the template: `draft`, `published`, `v001`. Default: what is published, or the draft where nothing is. */
  @IsOptional()
  @IsString()
  @MaxLength(VERSION_LENGTH_MAX)
  version?: string | null;

  /** Content that is not stored: `{title, body}`, or Elemental. */
  @IsOptional()
  @IsObject()
  content?: object | null;

  /** Default: every channel for which the content says something. */
  @IsOptional()
  @IsIn(CHANNELS)
  channel?: PreviewChannel | null;

  /** The provider to make it for, `slack`; only beside `channel`. */
  @IsOptional()
  @IsString()
  @Length(1, PROVIDER_LENGTH_MAX)
  provider?: string | null;

  /** The recipient's. Default: `profile.locale`. */
  @IsOptional()
  @IsString()
  @MaxLength(LOCALE_LENGTH_MAX)
  locale?: string | null;

  /** In place of the template's brand. */
  @IsOptional()
  @IsString()
  @Length(1, BRAND_ID_LENGTH_MAX)
  brand_id?: string | null;

  /** In place of any stored brand. */
  @IsOptional()
  @ValidateNested()
  @Type(() => PreviewBrand)
  brand?: PreviewBrand | null;

  /** Whose template of that name takes the place of the workspace's. */
  @IsOptional()
  @IsString()
  @Length(1, TENANT_ID_LENGTH_MAX)
  tenant_id?: string | null;

  @IsOptional()
  @IsObject()
  data?: Record<string, unknown> | null;

  /** The recipient's; nothing is taken from a stored one. */
  @IsOptional()
  @IsObject()
  profile?: Record<string, unknown> | null;
}

/** What would be sent over one channel, with what its author should know. */
export class PreviewOutput extends ChannelOutput {
  /**
   * The same in the channel's own form: `text`, `blocks` for Slack, `card` for Teams and `posts` for Discord, `data` of a push,
   * `actions` of an inbox message; and `raw` of the content, filled in. Absent for e-mail.
   */
  @IsOptional()
  @IsObject()
  payload?: Record<string, unknown>;

  @IsArray()
  @IsString({ each: true })
  warnings!: string[];
}

/** Why there is nothing for a channel. */
export class PreviewError {
  @IsString()
  channel!: string;

  /** The provider it was to be made for; empty where none was named. */
  @IsString()
  channel_id!: string;

  /** Begins with the element's place where one is to blame. */
  @IsString()
  message!: string;
}

export class Preview {
  /** As `GET /messages/:message_id/output` would show them; `channel_id` is empty where no provider was named. */
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => PreviewOutput)
  results!: PreviewOutput[];

  /** Channels that could not be rendered. */
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => PreviewError)
  errors!: PreviewError[];

  /** The version that is shown: `draft`, `v001`, a tenant's `v1`. Absent for content of the request. */
  @IsOptional()
  @IsString()
  version?: string;
}

export const previews = {
  render: defineOperation({
    pattern: 'content.previews.render',
    route: 'POST /content/preview',
    scope: 'read:notifications',
    summary: 'Show what a template, or content, becomes in each channel; nothing is stored or sent',
    request: PreviewContent,
    response: Preview,
    repeatable: true,
  }),
};
