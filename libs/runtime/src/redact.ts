const HIDDEN = '[redacted]';
const DEPTH_MAX = 6;

/** Names whose values never reach a log, in any spelling (`apiKey`, `api_key`, `api-key`). */
const SECRET_NAME =
  /^(?:(?:proxy-?)?authorization|(?:set-?)?cookie|.*(?:password|passwd|secret|secret[-_]?keys?|api[-_]?keys?|private[-_]?key|credentials?))$|^(?:.+[-_])?tokens?$|^[a-z]+Tokens?$/i;

/** Secrets within text: credentials in a URL, an Authorization header, an API key of Tidings, a JWT. */
const SECRETS_IN_TEXT: readonly [RegExp, string][] = [
  [/(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*:)[^\s@/]+@/gi, `$1${HIDDEN}@`],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${HIDDEN}`],
  [/\b(pk_(?:prod|test)_)[A-Za-z0-9]+/g, `$1${HIDDEN}`],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, HIDDEN],
];

/** The text with recognisable secrets replaced. */
export function redactText(text: string) {
  return SECRETS_IN_TEXT.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), text);
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
