import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { ofFirstPage } from '../api/refresh';

const pathOf = (audienceId: string) => ({ path: { audience_id: audienceId } });

export const audiencesQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['audiences', cursor],
    queryFn: () => answerOf(api.GET('/audiences', { params: { query: { cursor } } })),
  });

export const audienceQuery = (audienceId: string) =>
  queryOptions({
    queryKey: ['audience', audienceId],
    queryFn: () => answerOf(api.GET('/audiences/{audience_id}', { params: pathOf(audienceId) })),
  });

/** A page of members, the first one live: those of a changed filter appear a moment later. */
export const membersQuery = (audienceId: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['members', audienceId, cursor],
    queryFn: () => answerOf(api.GET('/audiences/{audience_id}/members', { params: { ...pathOf(audienceId), query: { cursor } } })),
    refetchInterval: ofFirstPage(cursor),
  });

/** How many users a filter matches that is not stored yet. */
export const countQuery = (filter: Record<string, unknown> | null) =>
  queryOptions({
    queryKey: ['audience-count', filter],
    queryFn: ({ signal }) => answerOf(api.POST('/console/api/audiences/count', { body: { filter }, signal })),
    placeholderData: (earlier) => earlier,
    refetchOnWindowFocus: false,
  });

/** What of an audience is put. An absent field stays. */
export interface AudienceFields {
  name?: string;
  description?: string;
  filter?: Record<string, unknown> | null;
}

export function saveAudience(audienceId: string, body: AudienceFields) {
  return answerOf(api.PUT('/audiences/{audience_id}', { params: pathOf(audienceId), body }));
}

export function removeAudience(audienceId: string) {
  return answerOf(api.DELETE('/audiences/{audience_id}', { params: pathOf(audienceId) }));
}
