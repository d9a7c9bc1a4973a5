import { IsDefined } from 'class-validator';
import { Optional, OptionalObject, OptionalTextOf } from '../core/fields';
import { Fits } from '../core/fits';
import { IsHttpUrl } from '../core/http-url';
import { USER_ID_LENGTH_MAX } from '../identity/profiles';
import { IsInlineTokens } from './inline-tokens';
import { IsEmailAddress } from './mailbox';
import { WebhookAddress } from './webhook-address';

/** Maximum characters of an id, an access token or a password of another service. */
const FOREIGN_LENGTH_MAX = 4_096;

/** An optional address that may become the recipient id. */
const IsAddress = (): PropertyDecorator => OptionalTextOf(1, USER_ID_LENGTH_MAX);

/** An optional id or credential of another service. */
const IsForeign = (): PropertyDecorator => OptionalTextOf(1, FOREIGN_LENGTH_MAX);

class IncomingWebhook {
  @IsDefined()
  @IsHttpUrl()
  url!: string;
}

/** A Slack address: `channel` before `user_id` before `email`; or a webhook. Other fields of Slack's installation answer are allowed. */
export class SlackAddress {
  @IsForeign() access_token?: string | null;

  @IsAddress() channel?: string | null;

  @IsAddress() user_id?: string | null;

  @IsAddress()
  @IsEmailAddress()
  email?: string | null;

  @Optional(Fits(IncomingWebhook)) incoming_webhook?: IncomingWebhook | null;
}

/** A Microsoft Teams address: a user, a channel by id or by name in its team, or a conversation. */
export class MsTeamsAddress {
  @IsAddress() tenant_id?: string | null;

  @Optional(IsHttpUrl()) service_url?: string | null;

  @IsAddress() user_id?: string | null;

  @IsAddress()
  @IsEmailAddress()
  email?: string | null;

  @IsAddress() channel_id?: string | null;

  @IsAddress() conversation_id?: string | null;

  @IsAddress() channel_name?: string | null;

  @IsAddress() team_id?: string | null;
}

/** A Discord address: a user, who gets a direct message, or a channel. */
export class DiscordAddress {
  @IsAddress() user_id?: string | null;

  @IsAddress() channel_id?: string | null;
}

export class PagerdutyAddress {
  /** Wins over the configured key. */
  @IsForeign() routing_key?: string | null;

  @IsForeign() event_action?: string | null;

  @IsForeign() severity?: string | null;

  @IsForeign() source?: string | null;
}

export class AwsSnsAddress {
  @IsForeign() target_arn?: string | null;
}

/** The profile fields that are addresses. Every other field is free. */
export class InlineAddresses {
  @IsAddress()
  @IsEmailAddress()
  email?: string | null;

  @IsAddress() phone_number?: string | null;

  @Optional(Fits(SlackAddress)) slack?: SlackAddress | null;

  @Optional(Fits(MsTeamsAddress)) ms_teams?: MsTeamsAddress | null;

  @Optional(Fits(DiscordAddress)) discord?: DiscordAddress | null;

  @Optional(Fits(WebhookAddress)) webhook?: WebhookAddress | null;

  @Optional(Fits(PagerdutyAddress)) pagerduty?: PagerdutyAddress | null;

  @Optional(IsInlineTokens()) apn?: unknown;

  @Optional(IsInlineTokens()) firebaseToken?: unknown;

  @Optional(IsInlineTokens()) expo?: unknown;

  @Optional(IsInlineTokens()) oneSignalPlayerID?: unknown;

  @IsAddress() oneSignalExternalUserId?: string | null;

  @Optional(Fits(AwsSnsAddress)) aws_sns?: AwsSnsAddress | null;

  /** The older form of `aws_sns.target_arn`. */
  @IsForeign() target_arn?: string | null;

  @OptionalObject airship?: Record<string, unknown> | null;

  @OptionalObject intercom?: Record<string, unknown> | null;

  @IsAddress() facebookPSID?: string | null;
}
