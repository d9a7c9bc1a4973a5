import { isJsonObject } from '../core/deep-merge';
import { mustBe } from '../core/violations';
import { assertAtMost, invalid, isGiven } from '../core/refusals';

const ATTACHMENTS_MAX = 100;
const FILENAME_LENGTH_MAX = 255;
const CONTENT_TYPE_LENGTH_MAX = 255;
/** Excludes characters that could end a header, and path separators. */
const FILENAME = /^[^\p{Cc}/\\]+$/u;
const CONTENT_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[ -~]*)?$/;
/** Allows the line breaks of some encoders. */
const BASE64 = /^[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*$/;

/** A file attached to an e-mail. */
export interface Attachment {
  filename: string;
  /** Default: `application/octet-stream`. */
  contentType?: string | null;
  /** Base64. */
  data: string;
}

/**
 * Refuses invalid attachments; `path` names them in errors. Only the size of the request limits their size.
 * @throws ServiceError `invalid_request` naming the invalid field.
 */
export function assertAttachments(attachments: unknown, path: string): asserts attachments is Attachment[] {
  if (!Array.isArray(attachments)) throw invalid(mustBe('an array', path, attachments));
  assertAtMost(ATTACHMENTS_MAX, attachments.length, path);
  attachments.forEach((attachment: unknown, index) => {
    const at = `${path}[${index}]`;
    if (!isJsonObject(attachment)) throw invalid(mustBe('an object', at, attachment));
    const { filename, contentType, data } = attachment;
    if (!isText(filename, FILENAME_LENGTH_MAX, FILENAME)) {
      const expected = `a text of 1 to ${FILENAME_LENGTH_MAX} characters, without slashes and control characters`;
      throw invalid(mustBe(expected, `${at}.filename`, filename));
    }
    if (isGiven(contentType) && !isText(contentType, CONTENT_TYPE_LENGTH_MAX, CONTENT_TYPE)) {
      throw invalid(mustBe('a media type such as application/pdf', `${at}.contentType`, contentType));
    }
    if (!isBase64(data)) throw invalid(mustBe('a text in base64', `${at}.data`, data));
  });
}

function isText(value: unknown, lengthMax: number, pattern: RegExp) {
  return typeof value === 'string' && value.length <= lengthMax && pattern.test(value);
}

/** Padding is optional, but the length must fit whole bytes. */
function isBase64(value: unknown) {
  if (typeof value !== 'string' || !BASE64.test(value)) return false;
  const digits = value.includes('\n') || value.includes('\r') ? value.replace(/[\r\n]/g, '') : value;
  return digits.endsWith('=') ? digits.length % 4 === 0 : digits.length % 4 !== 1;
}
