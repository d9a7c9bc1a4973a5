import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, setCsrf } from './client';
import type { Session } from './types';

/** The session of this browser, `null` when signed out. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<Session | null> => {
    const { session } = await answerOf(api.GET('/console/api/session'));
    setCsrf(session?.csrf);
    return session ?? null;
  },
  staleTime: 60_000,
});

/** The label of who signs people in beside keys, `null` if no one does. */
export const signInWithQuery = queryOptions({
  queryKey: [...sessionQuery.queryKey, 'sign-in-with'],
  queryFn: async (): Promise<string | null> => (await answerOf(api.GET('/console/api/session'))).sign_in_with ?? null,
  staleTime: Infinity,
});

/** Leaves for the sign-in of people; afterwards the address of now is shown. */
export function signInElsewhere(): void {
  location.assign(`/console/api/oidc/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`);
}

/** Exchanges an API key, or a code of one use, for a session. @throws ApiError 401 for a wrong one */
export async function signIn(credential: { key: string } | { code: string }): Promise<void> {
  const { csrf } = await answerOf(api.POST('/console/api/session', { body: credential }));
  setCsrf(csrf);
}

/** Signs in; the page then shows what its address names. */
export function useSignIn(): (credential: { key: string }) => Promise<void> {
  const queries = useQueryClient();
  return async (credential) => {
    await signIn(credential);
    await queries.invalidateQueries(sessionQuery);
  };
}

/** Shows the sign-in, and forgets what the session has loaded. */
export function endSession(queries: QueryClient): void {
  setCsrf(undefined);
  queries.setQueryData(sessionQuery.queryKey, null);
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
}

/** Ends the session on the server, and forgets what it has loaded. */
export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await answerOf(api.DELETE('/console/api/session'));
    endSession(queries);
  };
}

/** The session of a page that is shown to signed-in users only. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery);
  if (!data) throw new Error('This part of the page needs a session');
  return data;
}

/** Whether the session's key has a scope. */
export function hasScope({ scopes }: Pick<Session, 'scopes'>, scope: string): boolean {
  return scopes.includes('*') || scopes.includes(scope);
}

/** Why the session may not do what needs `scope`, `undefined` if it may. */
export function useMissingScope(scope: string): string | undefined {
  const session = useSession();
  return hasScope(session, scope) ? undefined : scope;
}

/** Whether the session is that of an operator, who may use `/admin` alone. */
export function useIsOperator(): boolean {
  return useSession().role === 'operator';
}
