import { Optional, OptionalObject, OptionalTextOf, textFields } from '../core/fields';
import { OptionalFits } from '../core/fits';
import { IsHttpUrl } from '../core/http-url';
import { OptionalUserId, UserId } from '../identity/profiles';
import { IsInlineTokens } from './inline-tokens';
import { IsEmailAddress } from './mailbox';
import { WebhookAddress } from './webhook-address';

/** An optional address that may become the recipient id. */
const Address = OptionalUserId;
const EmailAddress = Optional(UserId, IsEmailAddress);

/** An optional id, access token or password of another service. */
const Foreign = OptionalTextOf(1, 4_096);

const Tokens = Optional(IsInlineTokens);

class IncomingWebhook {
  @IsHttpUrl url: string;
}

/** A Slack address: `channel` before `user_id` before `email`; or a webhook. Other fields of Slack's installation answer are allowed. */
export class SlackAddress {
  @Foreign access_token?: string | null;

  @Address channel?: string | null;

  @Address user_id?: string | null;

  @EmailAddress email?: string | null;

  @OptionalFits(IncomingWebhook) incoming_webhook?: IncomingWebhook | null;
}

/** A Microsoft Teams address: a user, a channel by id or by name in its team, or a conversation. */
export class MsTeamsAddress extends textFields(
  Address,
  'tenant_id',
  'user_id',
  'channel_id',
  'conversation_id',
  'channel_name',
  'team_id',
) {
  @Optional(IsHttpUrl) service_url?: string | null;

  @EmailAddress email?: string | null;
}

/** A Discord address: a user, who gets a direct message, or a channel. */
export class DiscordAddress extends textFields(Address, 'user_id', 'channel_id') {}

/** The `routing_key` wins over the configured one. */
export class PagerdutyAddress extends textFields(Foreign, 'routing_key', 'event_action', 'severity', 'source') {}

export class AwsSnsAddress {
  @Foreign target_arn?: string | null;
}

/** The profile fields that are addresses. Every other field is free. */
export class InlineAddresses extends textFields(Address, 'phone_number', 'oneSignalExternalUserId', 'facebookPSID') {
  @EmailAddress email?: string | null;

  @OptionalFits(SlackAddress) slack?: SlackAddress | null;

  @OptionalFits(MsTeamsAddress) ms_teams?: MsTeamsAddress | null;

  @OptionalFits(DiscordAddress) discord?: DiscordAddress | null;

  @OptionalFits(WebhookAddress) webhook?: WebhookAddress | null;

  @OptionalFits(PagerdutyAddress) pagerduty?: PagerdutyAddress | null;

  @Tokens apn?: unknown;

  @Tokens firebaseToken?: unknown;

  @Tokens expo?: unknown;

  @Tokens oneSignalPlayerID?: unknown;

  @OptionalFits(AwsSnsAddress) aws_sns?: AwsSnsAddress | null;

  /** The older form of `aws_sns.target_arn`. */
  @Foreign target_arn?: string | null;

  @OptionalObject airship?: Record<string, unknown> | null;

  @OptionalObject intercom?: Record<string, unknown> | null;
}
