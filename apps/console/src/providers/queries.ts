import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { REFRESH_MS } from '../api/refresh';

export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: async () => (await answerOf(api.GET('/console/api/providers/health'))).results,
  refetchInterval: REFRESH_MS,
});

/** The settings of a configuration, without its secrets. */
export const settingsQuery = (id: string) =>
  queryOptions({
    queryKey: ['provider', id],
    queryFn: () => answerOf(api.GET('/providers/{id}', { params: { path: { id } } })),
  });

/** A real call of the provider, which sends no message. */
export function testProvider(id: string) {
  return answerOf(api.POST('/providers/{id}/test', { params: { path: { id } } }));
}

export function retryNow(id: string) {
  return answerOf(api.POST('/providers/{id}/retry-now', { params: { path: { id } } }));
}

export function enable(id: string, enabled: boolean) {
  return answerOf(api.PATCH('/providers/{id}', { params: { path: { id } }, body: { enabled } }));
}

/** Id of what operators configured for all workspaces: it has no settings here. */
export const DEFAULT_ID = 'default';
