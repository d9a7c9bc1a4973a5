import { ANY_SENDS, EVERYTHING, MESSAGE_READS, STATUS_READS, STORED_SENDS, UNSUBSCRIBED_SENDS } from './core/granted';
import { isPermission } from './core/operation';
import { NARROWED_SCOPES, TOKEN_SCOPES, USER_SCOPE_PREFIX } from './identity/issued-tokens';
import { operations } from './registry';
import { invalid, shown } from './core/refusals';

export { EVERYTHING };

const SHOWN_SCOPES_MAX = 100;

/**
 * Every scope that an API key may be restricted to: the scopes of routes and of tokens, `write:send:stored`, which grants `write:send`
 * within a limit, `write:send:unsubscribed`, which grants a field of sends, and `read:messages:status`, which grants reads of
 * messages without their content. Sorted.
 */
export const KEY_SCOPES: readonly string[] = [
  ...new Set([
    ...operations.map(({ scope }) => scope).filter(isPermission),
    ...TOKEN_SCOPES,
    STORED_SENDS,
    UNSUBSCRIBED_SENDS,
    STATUS_READS,
  ]),
].sort();

/** Scopes that limit a key, each with the wider one that would undo the limit. */
const LIMITS = [
  [STORED_SENDS, ANY_SENDS],
  [STATUS_READS, MESSAGE_READS],
] as const;

/**
 * Refuses scopes that an API key cannot have: unknown scopes, `user_id:`, which is for issued tokens, and a limit beside what it limits.
 * @throws ServiceError `invalid_request` naming the scope and the existing ones.
 */
export function assertKeyScopes(scopes: readonly string[]): void {
  for (const scope of scopes) {
    if (scope.startsWith(USER_SCOPE_PREFIX)) {
      throw invalid(`${USER_SCOPE_PREFIX} is for issued tokens; an API key may see every user (got ${shown(scope)})`);
    }
    if (scope !== EVERYTHING && !isValidScope(scope, KEY_SCOPES)) throw unknownScope(scope, [EVERYTHING, ...KEY_SCOPES]);
  }
  for (const [limit, unlimited] of LIMITS) {
    const wider = scopes.includes(limit) && scopes.find((scope) => scope === EVERYTHING || scope === unlimited);
    if (wider) throw invalid(`scope ${limit} limits the key, and ${wider} does not: give it one of them`);
  }
}

/**
 * The scopes of a token, each once, from a text separated by blanks.
 * @throws ServiceError `invalid_request` naming the first unknown scope, or if there is no scope beside `user_id:<id>`.
 */
export function parseTokenScopes(text: string): string[] {
  const scopes = [...new Set(text.split(' ').filter((scope) => scope !== ''))];
  for (const scope of scopes) {
    if (scope === USER_SCOPE_PREFIX) throw invalid(`scope has a ${USER_SCOPE_PREFIX} without a user id`);
    if (!isUserScope(scope) && !isValidScope(scope, TOKEN_SCOPES)) throw unknownScope(scope, [`${USER_SCOPE_PREFIX}<id>`, ...TOKEN_SCOPES]);
  }
  if (scopes.every(isUserScope)) {
    throw invalid(`scope must allow something beside ${USER_SCOPE_PREFIX}<id>, separated by blanks; there is ${TOKEN_SCOPES.join(', ')}`);
  }
  return scopes;
}

/** The first of `wanted` that a key with `scopes` lacks, else undefined. `user_id:` is never lacking: a key sees every user. */
export function firstNotGranted(wanted: readonly string[], scopes: readonly string[]): string | undefined {
  if (scopes.includes(EVERYTHING)) return undefined;
  const isGranted = (scope: string) => {
    const wider = scope === STORED_SENDS ? ANY_SENDS : widerOf(scope);
    return isUserScope(scope) || scopes.includes(scope) || (wider !== undefined && scopes.includes(wider));
  };
  return wanted.find((scope) => !isGranted(scope));
}

function isUserScope(scope: string) {
  return scope.startsWith(USER_SCOPE_PREFIX);
}

function isValidScope(scope: string, existing: readonly string[]) {
  return existing.includes(scope) || widerOf(scope) !== undefined;
}

/** `read:brands` for `read:brands:<id>`. */
function widerOf(scope: string) {
  return NARROWED_SCOPES.find((wide) => scope.startsWith(`${wide}:`) && scope.length > wide.length + 1);
}

function unknownScope(scope: string, existing: readonly string[]) {
  return invalid(`scope ${shown(scope)} does not exist; there is ${existing.slice(0, SHOWN_SCOPES_MAX).join(', ')}`);
}
