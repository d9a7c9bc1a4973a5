import { MutationCache, QueryClient } from '@tanstack/react-query';
import { ApiError, whenSessionEnds } from './client';
import { endSession } from './session';

const RETRIES_MAX = 3;
const TRANSIENT = new Set([0, 429, 502, 503, 504]);

/** The cache of what the pages have read. Transient errors are retried, as long as `Retry-After` says. */
export function createQueries(): QueryClient {
  const queries = new QueryClient({
    mutationCache: new MutationCache({ onSuccess: () => void queries.invalidateQueries() }),
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < RETRIES_MAX && error instanceof ApiError && TRANSIENT.has(error.status),
        retryDelay: (failures, error) => ((error as ApiError).retryAfterSeconds ?? 2 ** failures) * 1_000,
        staleTime: 1_000,
      },
    },
  });
  whenSessionEnds(() => endSession(queries));
  return queries;
}
