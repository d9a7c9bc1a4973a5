import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { PAGE_SIZE } from '../api/refresh';

const pathOf = (userId: string) => ({ user_id: userId });

/**
 * The profile of a user, `null` without one. The search is first: it knows whether there is a profile, where a look-up of one that does
 * not exist is an error in the browser's console.
 */
export const profileQuery = (userId: string) =>
  queryOptions({
    queryKey: ['profile', userId],
    queryFn: async () => {
      const { items } = await answerOf(api.GET('/console/api/users', { params: { query: { query: userId, limit: 100 } } }));
      if (items.length === 0) return null;
      const isListed = items.some(({ id }) => id === userId);
      const isPrefixOnly = !isListed && items.every(({ id }) => id.startsWith(userId));
      if (isPrefixOnly && items.length < 100) return null;
      const { profile } = await answerOf(api.GET('/profiles/{user_id}', { params: { path: pathOf(userId) } }));
      return profile;
    },
  });

export const tokensQuery = (userId: string) =>
  queryOptions({
    queryKey: ['tokens', userId],
    queryFn: () => answerOf(api.GET('/users/{user_id}/tokens', { params: { path: pathOf(userId) } })),
  });

export const preferencesQuery = (userId: string, tenantId: string | undefined) =>
  queryOptions({
    queryKey: ['preferences', userId, tenantId],
    queryFn: () => answerOf(api.GET('/users/{user_id}/preferences', { params: { path: pathOf(userId), query: { tenant_id: tenantId } } })),
  });

export const listsQuery = (userId: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['user-lists', userId, cursor],
    queryFn: () => answerOf(api.GET('/profiles/{user_id}/lists', { params: { path: pathOf(userId), query: { cursor } } })),
  });

export const tenantsQuery = (userId: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['user-tenants', userId, cursor],
    queryFn: () => answerOf(api.GET('/users/{user_id}/tenants', { params: { path: pathOf(userId), query: { cursor, limit: PAGE_SIZE } } })),
  });
