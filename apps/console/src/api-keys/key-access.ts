import { hasScope, useSession } from '../api/session';

const SCOPE = 'write:api-keys';

/** What the session may do with keys: an operator everything, an API key what it may itself. */
export function useKeyAccess() {
  const session = useSession();
  const isOperator = session.role === 'operator';
  const isGranted = (scope: string) => isOperator || hasScope(session, scope);
  return {
    /** The scope that it lacks to change keys. */
    missing: isGranted(SCOPE) ? undefined : SCOPE,
    isGranted,
    /** The first scope of a key that it lacks: it cannot rotate such a key. */
    lackingOf: (scopes: readonly string[]) => (isGranted(SCOPE) ? scopes.find((scope) => !isGranted(scope)) : SCOPE),
    isTest: session.mode === 'test',
    isOperator,
  };
}
