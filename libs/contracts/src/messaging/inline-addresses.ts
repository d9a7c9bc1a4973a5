import { Optional, OptionalObject, OptionalTextOf, textFields } from '../core/fields';
import { OptionalFits } from '../core/fits';
import { IsHttpUrl } from '../core/http-url';
import { OptionalUserId, UserId } from '../identity/profiles';
import { IsInlineTokens } from './inline-tokens';
import { IsEmailAddress } from './mailbox';
import { WebhookAddress } from './webhook-address';

/** An optional address that may become the recipient id. */
const Address = OptionalUserId;
const EmailAddress = Optional(IsEmailAddress, UserId);

/** An optional id, access token or password of another service. */
const Foreign = OptionalTextOf(1, 4_096);

const Tokens = Optional(IsInlineTokens);

class IncomingWebhook {
  /** The URL of the incoming webhook, http or https. @example "https://hooks.slack.com/services/T0/B0/x" */
  @IsHttpUrl url: string;
}

/** A Slack address: `channel` before `user_id` before `email`; or a webhook. Other fields of Slack's installation answer are allowed. */
export class SlackAddress {
  /** Token of the Slack app that posts the message. @example "xoxb-0123456789-abcdef" */
  @Foreign access_token?: string | null;

  /** Id or name of a channel; used before `user_id`. @example "C0123456789" */
  @Address channel?: string | null;

  /** Id of a Slack user; used before `email`. @example "U0123456789" */
  @Address user_id?: string | null;

  /** E-mail address of a Slack user. @example "ada@example.com" */
  @EmailAddress email?: string | null;

  /** An incoming webhook of Slack to post to, instead of an address. */
  @OptionalFits(IncomingWebhook) incoming_webhook?: IncomingWebhook | null;
}

/**
 * A Microsoft Teams address: a user, a channel by id or by name in its team, or a conversation.
 * @property tenant_id Id of the Microsoft 365 tenant. `tenant_id` or `service_url` is required.
 * @example "72f988bf-86f1-41af-91ab-2d7cd011db47"
 * @property user_id Id of a Teams user. @example "29:1AbCdEfGhIjKlMnOpQrStUv"
 * @property channel_id Id of a channel. @example "19:4a95f7d8db4c4e7fae857bcebe0623e6@thread.tacv2"
 * @property conversation_id Id of a conversation. @example "a:1AbCdEfGhIjKlMnOpQrStUv"
 * @property channel_name Name of a channel in the team `team_id`. @example "Incidents"
 * @property team_id Id of the team that has the channel `channel_name`. @example "19:f3a2c1d0e9b84756a1b2c3d4e5f60718@thread.tacv2"
 */
export class MsTeamsAddress extends textFields(
  Address,
  'tenant_id',
  'user_id',
  'channel_id',
  'conversation_id',
  'channel_name',
  'team_id',
) {
  /** URL of the Bot Framework's service for the tenant. @example "https://smba.trafficmanager.net/emea/" */
  @Optional(IsHttpUrl) service_url?: string | null;

  /** E-mail address of a Teams user. @example "ada@example.com" */
  @EmailAddress email?: string | null;
}

/**
 * A Discord address: a user, who gets a direct message, or a channel.
 * @property user_id Id of a Discord user, who gets a direct message. @example "80351110224678912"
 * @property channel_id Id of a Discord channel. @example "41771983423143937"
 */
export class DiscordAddress extends textFields(Address, 'user_id', 'channel_id') {}

/**
 * The `routing_key` wins over the configured one.
 * @property routing_key Integration key of a PagerDuty service; wins over a configured one. @example "0123456789abcdef0123456789abcdef"
 * @property event_action What the event does: `trigger`, `acknowledge` or `resolve`. @example "trigger"
 * @property severity Severity of the event. @example "critical"
 * @property source The system with the problem. @example "db-7"
 */
export class PagerdutyAddress extends textFields(Foreign, 'routing_key', 'event_action', 'severity', 'source') {}

export class AwsSnsAddress {
  /** ARN of an SNS topic or endpoint. @example "arn:aws:sns:eu-west-1:123456789012:orders" */
  @Foreign target_arn?: string | null;
}

/**
 * The profile fields that are addresses. Every other field is free.
 * @property phone_number Phone number for SMS, in international form. @example "+33612345678"
 * @property oneSignalExternalUserId The user's external id at OneSignal. It identifies the recipient; no channel sends to it.
 * @example "ada"
 * @property facebookPSID The user's page-scoped id at Facebook. It identifies the recipient; no channel sends to it.
 * @example "1254477777772919"
 */
export class InlineAddresses extends textFields(Address, 'phone_number', 'oneSignalExternalUserId', 'facebookPSID') {
  /** E-mail address, without a name. @example "ada@example.com" */
  @EmailAddress email?: string | null;

  /** Address in Slack. */
  @OptionalFits(SlackAddress) slack?: SlackAddress | null;

  /** Address in Microsoft Teams. */
  @OptionalFits(MsTeamsAddress) ms_teams?: MsTeamsAddress | null;

  /** Address in Discord. */
  @OptionalFits(DiscordAddress) discord?: DiscordAddress | null;

  /** URL that gets the message as JSON. */
  @OptionalFits(WebhookAddress) webhook?: WebhookAddress | null;

  /** Address in PagerDuty. */
  @OptionalFits(PagerdutyAddress) pagerduty?: PagerdutyAddress | null;

  /**
   * Tokens of Apple's push service: a text, an array of texts, `{token}` or `{tokens}`.
   * @example "740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad"
   */
  @Tokens apn?: unknown;

  /** Tokens of Firebase Cloud Messaging: a text, an array of texts, `{token}` or `{tokens}`. @example "dGhpcyBpcyBhIHRva2Vu" */
  @Tokens firebaseToken?: unknown;

  /** Tokens of Expo: a text, an array of texts, `{token}` or `{tokens}`. @example { "token": "ExponentPushToken[x]" } */
  @Tokens expo?: unknown;

  /** Player ids at OneSignal: a text, an array of texts, `{token}` or `{tokens}`. @example "b1f7f966-d8cc-11e4-bed1-df8f05be55ba" */
  @Tokens oneSignalPlayerID?: unknown;

  /** Address at Amazon SNS. It identifies the recipient; no channel sends to it. */
  @OptionalFits(AwsSnsAddress) aws_sns?: AwsSnsAddress | null;

  /** The older form of `aws_sns.target_arn`. @example "arn:aws:sns:eu-west-1:123456789012:orders" */
  @Foreign target_arn?: string | null;

  /** Address at Airship, any fields. It identifies the recipient; no channel sends to it. */
  @OptionalObject airship?: Record<string, unknown> | null;

  /** Address at Intercom, any fields. It identifies the recipient; no channel sends to it. */
  @OptionalObject intercom?: Record<string, unknown> | null;
}
