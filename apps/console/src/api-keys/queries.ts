import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { PAGE_SIZE } from '../api/refresh';
import type { components, paths } from '../api/schema';
import type { ApiKey } from '../api/types';

export type NewKey = paths['/console/api/keys']['post']['requestBody']['content']['application/json'];
type Made = components['schemas']['CreatedKey'];
type Page = components['schemas']['KeyPage'];

/** The keys of a workspace: the session's own, or one that an operator looks at. */
export interface Keys {
  /** Names them in the cache. */
  of: string;
  page(query: { cursor?: string; key_id?: string; limit?: number }): Promise<Page>;
  make(key: NewKey): Promise<Made>;
  rotate(keyId: string, overlap: string): Promise<Made>;
  revoke(keyId: string): Promise<unknown>;
}

/** The keys of the session's workspace. */
export const ownKeys: Keys = {
  of: 'own',
  page: (query) => answerOf(api.GET('/console/api/keys', { params: { query } })),
  make: (body) => answerOf(api.POST('/console/api/keys', { body })),
  rotate: (keyId, overlap) =>
    answerOf(api.POST('/console/api/keys/{key_id}/rotate', { params: { path: { key_id: keyId } }, body: { overlap } })),
  revoke: (keyId) => answerOf(api.DELETE('/console/api/keys/{key_id}', { params: { path: { key_id: keyId } } })),
};

/** The keys of a workspace, for operators. */
export function keysOf(workspaceId: string): Keys {
  const ofWorkspace = { workspace_id: workspaceId };
  return {
    of: workspaceId,
    page: (query) => answerOf(api.GET('/admin/workspaces/{workspace_id}/keys', { params: { path: ofWorkspace, query } })),
    make: (body) => answerOf(api.POST('/admin/workspaces/{workspace_id}/keys', { params: { path: ofWorkspace }, body })),
    rotate: (keyId, overlap) => {
      const params = { path: { ...ofWorkspace, key_id: keyId } };
      return answerOf(api.POST('/admin/workspaces/{workspace_id}/keys/{key_id}/rotate', { params, body: { overlap } }));
    },
    revoke: (keyId) =>
      answerOf(api.DELETE('/admin/workspaces/{workspace_id}/keys/{key_id}', { params: { path: { ...ofWorkspace, key_id: keyId } } })),
  };
}

export const keysQuery = (keys: Keys, cursor: string | undefined) =>
  queryOptions({ queryKey: ['keys', keys.of, cursor], queryFn: () => keys.page({ cursor, limit: PAGE_SIZE }) });

/** One key; `null` for an unknown one. */
export const keyQuery = (keys: Keys, keyId: string) =>
  queryOptions({
    queryKey: ['key', keys.of, keyId],
    queryFn: async (): Promise<ApiKey | null> => (await keys.page({ key_id: keyId })).results[0] ?? null,
  });
