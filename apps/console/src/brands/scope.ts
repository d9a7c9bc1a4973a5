import { hasScope, useSession } from '../api/session';

const SCOPE = 'write:brands';

/** As `useMissingScope`: a key may also have the scope for this brand alone. */
export function useMissingBrandScope(id: string): string | undefined {
  const session = useSession();
  return [SCOPE, `${SCOPE}:${id}`].some((one) => hasScope(session, one)) ? undefined : SCOPE;
}
