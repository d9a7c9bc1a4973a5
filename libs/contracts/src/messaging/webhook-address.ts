import { IsIn, ValidateBy } from 'class-validator';
import { isJsonObject } from '../core/deep-merge';
import { Optional, OptionalOneOf, OptionalTextOf, textFields } from '../core/fields';
import { OptionalFits } from '../core/fits';
import { IsHttpUrl } from '../core/http-url';

const HEADERS_MAX = 100;
const HEADER_LENGTH_MAX = 4_096;
/** Characters of an invalid header name that errors show. */
const HEADER_SHOWN_MAX = 100;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,256}$/;
/** Excludes characters that headers cannot contain, and line ends, which would begin another header. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const IsHeaders = ValidateBy({
  name: 'isHeaders',
  validator: {
    validate: (value) => isJsonObject(value) && Object.keys(value).length <= HEADERS_MAX && Object.entries(value).every(isHeader),
    defaultMessage: (args) => {
      const wrong = isJsonObject(args?.value) ? Object.entries(args.value).find((header) => !isHeader(header))?.[0] : undefined;
      const which = wrong === undefined ? '' : `; ${JSON.stringify(wrong.slice(0, HEADER_SHOWN_MAX))} is none`;
      return `$property must be an object of at most ${HEADERS_MAX} headers, whose values are texts of at most ${HEADER_LENGTH_MAX} characters in one line${which}`;
    },
  },
});

/** Whether a header is valid in an HTTP request: name and one-line value. */
export function isHeader([name, value]: [string, unknown]): boolean {
  return HEADER_NAME.test(name) && typeof value === 'string' && value.length <= HEADER_LENGTH_MAX && HEADER_VALUE.test(value);
}

/**
 * @property username User name for `basic`. @example "orders"
 * @property password Password for `basic`. @example "an example password"
 * @property token Token for `bearer`. @example "an example token"
 */
class WebhookAuthentication extends textFields(OptionalTextOf(4_096), 'username', 'password', 'token') {
  /** `basic` sends `username` and `password`, `bearer` sends `token`, `none` nothing. @example "bearer" */
  @IsIn(['none', 'basic', 'bearer']) mode: 'none' | 'basic' | 'bearer';
}

/** The URL to which a message is posted as JSON, with headers and authentication. */
export class WebhookAddress {
  /** The URL, http or https, without credentials in it. Absent: the configured one. @example "https://example.com/hook" */
  @Optional(IsHttpUrl) url?: string | null;

  /** Default: `POST`. @example "PUT" */
  @OptionalOneOf(['POST', 'PUT']) method?: 'POST' | 'PUT' | null;

  /** Additional request headers, at most 100, of 4,096 characters each. @example { "X-Team": "orders" } */
  @Optional(IsHeaders) headers?: Record<string, string> | null;

  /** How the request is authenticated. Absent: not at all. */
  @OptionalFits(WebhookAuthentication) authentication?: WebhookAuthentication | null;

  /** The profile fields that are posted: `limited`, those in the send; `expanded`, all. Default `limited`. @example "limited" */
  @OptionalOneOf(['limited', 'expanded']) profile?: 'limited' | 'expanded' | null;
}
