import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { PAGE_SIZE } from '../api/refresh';
import type { components } from '../api/schema';
import type { Workspace } from '../api/types';

export type Limits = components['schemas']['WorkspaceLimits'];

const pathOf = (id: string) => ({ path: { workspace_id: id } });

export const workspacesQuery = (search: { name?: string; cursor?: string }) =>
  queryOptions({
    queryKey: ['workspaces', search],
    queryFn: () => answerOf(api.GET('/admin/workspaces', { params: { query: { ...search, limit: PAGE_SIZE } } })),
  });

/** One workspace; `null` for an unknown one. */
export const workspaceQuery = (id: string) =>
  queryOptions({
    queryKey: ['workspace', id],
    queryFn: async (): Promise<Workspace | null> =>
      (await answerOf(api.GET('/admin/workspaces', { params: { query: { id } } }))).results[0] ?? null,
  });

export const limitsQuery = (id: string) =>
  queryOptions({
    queryKey: ['workspace-limits', id],
    queryFn: () => answerOf(api.GET('/admin/workspaces/{workspace_id}/limits', { params: pathOf(id) })),
    refetchOnWindowFocus: false,
  });

export const sendersQuery = (id: string) =>
  queryOptions({
    queryKey: ['workspace-senders', id],
    queryFn: () => answerOf(api.GET('/admin/workspaces/{workspace_id}/senders', { params: pathOf(id) })),
    refetchOnWindowFocus: false,
  });

export function createWorkspace(body: { name: string; account_email: string }) {
  return answerOf(api.POST('/admin/workspaces', { body }));
}

export function changeLimits(id: string, body: Omit<Limits, 'effective_rate_limit'>) {
  return answerOf(api.PATCH('/admin/workspaces/{workspace_id}/limits', { params: pathOf(id), body }));
}

export function replaceSenders(id: string, domains: string[] | null) {
  return answerOf(api.PUT('/admin/workspaces/{workspace_id}/senders', { params: pathOf(id), body: { domains } }));
}
