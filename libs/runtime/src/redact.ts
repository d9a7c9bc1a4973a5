const HIDDEN = '[redacted]';
const DEPTH_MAX = 6;

/** Names whose values never reach a log, in any spelling (`apiKey`, `api_key`, `api-key`). */
const SECRET_NAME =
  /^(?:(?:proxy-?)?authorization|(?:set-?)?cookie|.*(?:password|passwd|secret|secret[-_]?keys?|api[-_]?keys?|private[-_]?key|credentials?))$|^(?:.+[-_])?tokens?$|^[a-z]+Tokens?$/i;

/**
 * Secrets within text: an Authorization header, an API key of Tidings, a JWT, a callback address. Fixed keys may have any visible
 * characters; those of hex, base64 and base64url are recognised wherever they stand, the others in the header.
 */
const SECRETS_IN_TEXT: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+\S{6,}/gi, `$1 ${HIDDEN}`],
  [/(pk_(?:prod|test)_)[\w+/=.~-]+/g, `$1${HIDDEN}`],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, HIDDEN],
  [/(\/providers\/callback\/[^/\s]+\/[^/\s]+\/)[^\s/?#"']+/gi, `$1${HIDDEN}`],
];

/** The text with recognisable secrets replaced. */
export function redactText(text: string) {
  const clean = text.includes('://') ? text.replace(/\S+/g, redactPassword) : text;
  return SECRETS_IN_TEXT.reduce((cleaner, [pattern, replacement]) => cleaner.replace(pattern, replacement), clean);
}

/** A word without the password of its URL: all between the user's colon and the last `@`, since passwords may contain `@` and `/`. */
function redactPassword(word: string) {
  const authority = word.indexOf('://') + 3;
  const colon = word.indexOf(':', authority);
  const at = word.lastIndexOf('@');
  if (authority < 3 || colon === -1 || at < colon) return word;
  return `${word.slice(0, colon + 1)}${HIDDEN}${word.slice(at)}`;
}

/** A copy of `value` for the log: secrets replaced by name and by pattern, errors as plain objects, bounded depth. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEPTH_MAX) return '[deeper]';
  if (value instanceof Error) return redactError(value, depth);
  if (value instanceof Date || value instanceof URL) return redactText(value.toJSON() ?? 'Invalid Date');
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((entry) => redact(entry, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name, SECRET_NAME.test(name) ? HIDDEN : redact(entry, depth + 1)]),
  );
}

/** Only the standard properties of an error: drivers attach whole requests and rows to theirs. */
function redactError(error: Error, depth: number) {
  const { code } = error as NodeJS.ErrnoException;
  return {
    type: error.name,
    message: redactText(error.message),
    code,
    stack: redactText(error.stack ?? ''),
    cause: redact(error.cause, depth + 1),
  };
}
