import { isJsonObject } from '../core/deep-merge';
import { CheckedBy } from '../core/fields';
import { isGiven } from '../core/refusals';
import { PUSH_TOKEN_LENGTH_MAX } from '../identity/user-tokens';

/** Maximum tokens of one push service in one recipient. */
const INLINE_TOKENS_MAX = 1_000;

/**
 * The push tokens in a field of a recipient or profile: a text, an array of texts, `{ token }`, or `{ tokens }` whose elements are
 * texts or `{ token }`; `token` and `tokens` are combined. Undefined for other shapes, for none, and for more than the maximum.
 */
export function inlineTokens(value: unknown): string[] | undefined {
  const tokens = Array.isArray(value) ? value : isJsonObject(value) ? [...listed(value.token), ...listed(value.tokens).flat()] : [value];
  if (tokens.length === 0 || tokens.length > INLINE_TOKENS_MAX) return undefined;
  const texts = tokens.map((token: unknown) => (isJsonObject(token) ? token.token : token));
  return texts.every(isToken) ? [...new Set(texts)] : undefined;
}

function listed(value: unknown) {
  return isGiven(value) ? [value] : [];
}

function isToken(token: unknown): token is string {
  return typeof token === 'string' && token !== '' && token.length <= PUSH_TOKEN_LENGTH_MAX;
}

/** The value is one that `inlineTokens` can read. */
export const IsInlineTokens = CheckedBy(
  'isInlineTokens',
  (value) => inlineTokens(value) !== undefined,
  `must be a token (a text of 1 to ${PUSH_TOKEN_LENGTH_MAX} characters), an array of tokens, {token} or {tokens}, ` +
    `with at most ${INLINE_TOKENS_MAX} of them`,
);
