import { IsIn, IsOptional, Max, Min } from 'class-validator';
import {
  Int,
  IsListOf,
  IsNested,
  Optional,
  OptionalListOf,
  OptionalNested,
  OptionalText,
  OptionalTextOf,
  textFields,
  TextOf,
  Uuid,
} from '../core/fields';
import { FieldsOfAnswer } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { IsExpiryDate } from './expiry-date';
import { JsonPatch, NamedUser, type PatchOperation } from './profiles';

/** Far above the longest token of any known push service. */
export const PUSH_TOKEN_LENGTH_MAX = 4_096;
/** Characters of the reason why a token is failed or revoked. */
const TOKEN_REASON_LENGTH_MAX = 1_000;

export const TOKEN_REPORTS_MAX = 1_000;
/** The last instant of a JavaScript `Date`, in ms since the epoch. */
const INSTANT_MAX = 8_640_000_000_000_000;

/** The result that a push service reports for a token. */
const TOKEN_OUTCOMES = ['accepted', 'revoked', 'suspicious'] as const;
export type TokenOutcome = (typeof TOKEN_OUTCOMES)[number];

/** The result of one attempt to reach a device; an internal call may span many workspaces. */
export class TokenReport {
  @Uuid workspace_id: string;

  @TextOf(1, PUSH_TOKEN_LENGTH_MAX) token: string;

  @IsIn(TOKEN_OUTCOMES) outcome: TokenOutcome;

  /** The push service's own code for the result. */
  @OptionalTextOf(TOKEN_REASON_LENGTH_MAX) code?: string | null;

  /**
   * When the result was valid, in ms since the epoch: the time of the service's answer, or the time in that answer. A result from
   * before the token's last registration is ignored.
   */
  @Int
  @Min(0)
  @Max(INSTANT_MAX)
  at: number;
}

export class ReportUserTokens {
  @IsListOf(TokenReport, TOKEN_REPORTS_MAX) reports: TokenReport[];
}

/** Size of device, tracking and properties of one token, as JSON: more than any push service sends to a device. */
export const PUSH_TOKEN_DETAILS_BYTES_MAX = 16 * 1024;
export const PUSH_TOKENS_PER_USER_MAX = 1_000;
/** Size of all tokens of a user, as JSON: one answer contains all of them. */
export const PUSH_TOKENS_BYTES_PER_USER_MAX = 1024 * 1024;
const Detail = OptionalTextOf(512);

/** The push services that tokens belong to. */
export const PUSH_PROVIDER_KEYS = ['firebase-fcm', 'apn', 'expo', 'onesignal', 'web-push'] as const;
export type PushProviderKey = (typeof PUSH_PROVIDER_KEYS)[number];

/**
 * `active`: registered by its device. `unknown`: not proven yet, but used. `failed`: reported as suspicious by the push service,
 * retried after an hour. `revoked`: never used again.
 */
const PUSH_TOKEN_STATUSES = ['active', 'unknown', 'failed', 'revoked'] as const;
export type PushTokenStatus = (typeof PUSH_TOKEN_STATUSES)[number];

/**
 * The device that registered a token.
 * @property app_id Id of the app that registered the token. @example "com.example.shop"
 * @property ad_id Advertising identifier of the device. @example "38400000-8cf0-11bd-b23e-10b96e40000d"
 * @property device_id Id of the device. @example "pixel-8-4711"
 * @property platform Operating system: `android`, `ios`, `web`. @example "android"
 * @property manufacturer Maker of the device. @example "Google"
 * @property model Model of the device. @example "Pixel 8"
 */
export class TokenDevice extends textFields(Detail, 'app_id', 'ad_id', 'device_id', 'platform', 'manufacturer', 'model') {}

/**
 * Location and system of the device.
 * @property os_version Version of the operating system. @example "14"
 * @property ip IP address of the device at the registration. @example "203.0.113.7"
 * @property lat Latitude of the device, in degrees. @example "45.76"
 * @property long Longitude of the device, in degrees. @example "4.84"
 */
export class TokenTracking extends textFields(Detail, 'os_version', 'ip', 'lat', 'long') {}

/** The fields of a registration beside the token. */
@FieldsOfAnswer(() => UserToken)
class UserTokenFields {
  /** The push service that issued the token. @example "firebase-fcm" */
  @IsIn(PUSH_PROVIDER_KEYS) provider_key: PushProviderKey;

  /** The device that registered the token. With `tracking` and `properties` at most 16 KB as JSON. */
  @OptionalNested(TokenDevice) device?: TokenDevice | null;

  /** Location and system of the device. */
  @OptionalNested(TokenTracking) tracking?: TokenTracking | null;

  /**
   * When the token expires: ISO 8601, UTC without an offset; `false` for never. Default: two calendar months from now. A past date
   * registers an expired token.
   * @example "2026-05-01T10:00:00.000Z"
   */
  @Optional(IsExpiryDate) expiry_date?: string | boolean | null;

  /**
   * Any JSON value. Sent to the push service with the token: an object is data of each message to it, under that of the message;
   * `onesignal` gets none.
   * @example { "build": 42 }
   */
  @IsOptional() properties?: unknown;
}

export class GetUserToken extends NamedUser {
  /**
   * The token, as the push service issued it: the whole rest of the path. `%`, `?` and `#` must be escaped.
   * @example "dGhpcyBpcyBhIHRva2Vu"
   */
  @TextOf(1, PUSH_TOKEN_LENGTH_MAX) token: string;
}

/** The whole body of a registration. */
export class UserTokenBody extends UserTokenFields {
  /** If given, equal to the token in the path. @example "dGhpcyBpcyBhIHRva2Vu" */
  @OptionalText token?: string | null;
}

export class PutUserToken extends GetUserToken {
  /** The registration. */
  @IsNested(UserTokenBody) body: UserTokenBody;
}

export class UserTokenEntry extends UserTokenFields {
  /** The token, as the push service issued it. @example "dGhpcyBpcyBhIHRva2Vu" */
  @TextOf(1, PUSH_TOKEN_LENGTH_MAX) token: string;
}

export class PutUserTokens extends NamedUser {
  /** The tokens to register; the last entry of a token counts. Other tokens of the user stay. Absent or `null`: none. */
  @OptionalListOf(UserTokenEntry, PUSH_TOKENS_PER_USER_MAX) tokens?: UserTokenEntry[] | null;
}

/** The patch applies to the answer of `retrieve`, with omitted fields as `null`; `token` cannot be changed. */
export class PatchUserToken extends GetUserToken {
  @JsonPatch patch: PatchOperation[];
}

/** A push token in an answer; fields without a value are omitted, except `expiry_date`: ISO 8601 or `false`. */
export class UserToken extends UserTokenEntry {
  /**
   * `active`: registered by its device. `unknown`: not proven yet, but used. `failed`: suspicious to the push service, not used for an
   * hour. `revoked`: never used again.
   * @example "active"
   */
  @IsIn(PUSH_TOKEN_STATUSES) status: PushTokenStatus;

  /** Why it is `failed` or `revoked`: the reason of the push service, or `expired`. Absent for others. @example "expired" */
  @OptionalTextOf(TOKEN_REASON_LENGTH_MAX) status_reason?: string | null;
}

class UserTokens {
  /** All tokens of the user, the latest registered first. */
  @IsListOf(UserToken) tokens: UserToken[];
}

export const userTokens = defineOperations(
  'identity.user-tokens',
  'user-tokens',
  {
    /** Empty for a user without tokens, or an unknown one. */
    list: {
      route: 'GET /users/:user_id/tokens',
      summary: 'List the push tokens of a user',
      request: NamedUser,
      response: UserTokens,
    },
    /**
     * Registers all of the tokens, or none. The body may be the array itself; without a body nothing changes.
     * @example { "tokens": [{ "token": "dGhpcyBpcyBhIHRva2Vu", "provider_key": "firebase-fcm" }] }
     */
    putMany: {
      audit: 'user:tokens-changed',
      pattern: 'identity.user-tokens.put-many',
      route: 'PUT /users/:user_id/tokens',
      command: true,
      summary: 'Add push tokens to a user',
      request: PutUserTokens,
      bareArray: 'tokens',
    },
    /** Answers 404 if the user has no such token. */
    retrieve: {
      route: 'GET /users/:user_id/tokens/*token',
      summary: 'Get a push token',
      request: GetUserToken,
      response: UserToken,
    },
    /**
     * Registers the token: replaces the stored one, sets it `active` and renews its expiry. A token belongs to one user, so one of another
     * user moves.
     * @example { "provider_key": "firebase-fcm", "device": { "platform": "android" } }
     */
    put: {
      audit: 'user:tokens-changed',
      route: 'PUT /users/:user_id/tokens/*token',
      command: true,
      summary: 'Add or replace a push token',
      request: PutUserToken,
      bodyField: 'body',
    },
    /**
     * The steps apply to the answer of the GET, where every absent field is `null`. All fields but `token` can change. It is no
     * registration.
     * @example { "patch": [{ "op": "replace", "path": "/status", "value": "revoked" }] }
     */
    patch: {
      audit: 'user:tokens-changed',
      route: 'PATCH /users/:user_id/tokens/*token',
      command: true,
      summary: 'Apply a JSON Patch to a push token',
      request: PatchUserToken,
    },
    /** Answers 404 if the user has no such token. */
    remove: {
      audit: 'user:tokens-changed',
      route: 'DELETE /users/:user_id/tokens/*token',
      command: true,
      summary: 'Delete a push token',
      request: GetUserToken,
    },
    report: {
      command: true,
      summary: 'Report the results of push services for up to 1,000 tokens; unknown tokens are ignored',
      request: ReportUserTokens,
    },
  },
  { ofUser: 'user_id' },
);
