import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { PAGE_SIZE } from '../api/refresh';
import type { BodyOf } from '../api/types';

export type StrategyFields = BodyOf<'content.routing-strategies.create'>;

const pathOf = (id: string) => ({ path: { id } });

export const strategiesQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['routing-strategies', cursor],
    queryFn: () => answerOf(api.GET('/routing-strategies', { params: { query: { cursor, limit: PAGE_SIZE } } })),
  });

export const strategyQuery = (id: string) =>
  queryOptions({
    queryKey: ['routing-strategy', id],
    queryFn: () => answerOf(api.GET('/routing-strategies/{id}', { params: pathOf(id) })),
    // What is being written must not be replaced.
    refetchOnWindowFocus: false,
  });

export const linkedTemplatesQuery = (id: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['routing-strategy-templates', id, cursor],
    queryFn: () =>
      answerOf(api.GET('/routing-strategies/{id}/notifications', { params: { ...pathOf(id), query: { cursor, limit: PAGE_SIZE } } })),
  });

export function createStrategy(body: StrategyFields) {
  return answerOf(api.POST('/routing-strategies', { body }));
}

export function replaceStrategy(id: string, body: StrategyFields) {
  return answerOf(api.PUT('/routing-strategies/{id}', { params: pathOf(id), body }));
}

export function archiveStrategy(id: string) {
  return answerOf(api.DELETE('/routing-strategies/{id}', { params: pathOf(id) }));
}
