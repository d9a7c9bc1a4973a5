import type { Operation } from './operation';

/** The scope of an unrestricted API key. */
export const EVERYTHING = '*';

/** The scope of sends. */
export const ANY_SENDS = 'write:send';
/** The scope of sends of published templates to stored addresses. It limits the key's bulk jobs and resends too. */
export const STORED_SENDS = 'write:send:stored';

/** The scope of sends to addresses that are suppressed as `unsubscribe`, beside that of sends. */
export const UNSUBSCRIBED_SENDS = 'write:send:unsubscribed';

/** The scope of reads of messages. */
export const MESSAGE_READS = 'read:messages';
/** The scope of the same without what the messages say: operations that answer it name it as `limitedScope`. */
export const STATUS_READS = 'read:messages:status';

/** Whether a credential with `scopes` has `scope`. A limit within it is the operation's to apply (`limitsOf`). */
export function hasScope(scopes: readonly string[], scope: string): boolean {
  return scopes.includes(EVERYTHING) || scopes.includes(scope) || (scope === ANY_SENDS && scopes.includes(STORED_SENDS));
}

/**
 * Whether the scopes of a credential allow an operation.
 * @param fields the fields of the request: one of them may have a narrower scope (`scopedBy`).
 */
export function isGranted(
  { scope, scopedBy, limitedScope }: Pick<Operation, 'scope'> & { scopedBy?: string; limitedScope?: string },
  scopes: readonly string[],
  fields: Readonly<Record<string, unknown>>,
): boolean {
  if (scope === 'any' || hasScope(scopes, scope)) return true;
  if (limitedScope !== undefined && scopes.includes(limitedScope)) return true;
  const narrow = scopedBy === undefined ? undefined : fields[scopedBy];
  return typeof narrow === 'string' && scopes.includes(`${scope}:${narrow}`);
}
