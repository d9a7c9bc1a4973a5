import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import type { BodyOf } from '../api/types';

const list = (query: { event_id?: string; tags?: string[]; cursor?: string }) => answerOf(api.GET('/notifications', { params: { query } }));

/** Templates of a page, the newest first; of a text those of the event, or else of the tag. */
export const templatesQuery = ({ query, cursor }: { query?: string; cursor?: string }) =>
  queryOptions({
    queryKey: ['templates', query, cursor],
    queryFn: async () => {
      if (query === undefined) return { ...(await list({ cursor })), matched: undefined };
      const ofEvent = cursor === undefined ? await list({ event_id: query }) : undefined;
      if (ofEvent?.results.length) return { ...ofEvent, matched: 'event' as const };
      return { ...(await list({ tags: [query], cursor })), matched: 'tag' as const };
    },
    placeholderData: (earlier) => earlier,
  });

export const templateQuery = (id: string, version: string | undefined) =>
  queryOptions({
    queryKey: ['template', id, version],
    queryFn: () => answerOf(api.GET('/notifications/{id}', { params: { path: { id }, query: { version } } })),
    // Until another version is loaded the earlier one is shown: what was entered for its preview remains.
    placeholderData: (earlier, query) => (query?.queryKey[1] === id ? earlier : undefined),
  });

export const versionsQuery = (id: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['template-versions', id, cursor],
    queryFn: () => answerOf(api.GET('/notifications/{id}/versions', { params: { path: { id }, query: { cursor } } })),
  });

/** Ids of brands, for suggestions. */
export const brandsQuery = queryOptions({
  queryKey: ['brands'],
  queryFn: async () => (await answerOf(api.GET('/brands'))).results,
});

/** What a preview is rendered with. */
type PreviewInput = BodyOf<'content.previews.render'>;

/** The output for every channel. A preview that is refused because others run is repeated when the answer says. */
export const previewQuery = (input: PreviewInput) =>
  queryOptions({
    queryKey: ['preview', input],
    queryFn: ({ signal }) => answerOf(api.POST('/content/preview', { body: input, signal })),
    placeholderData: (earlier) => earlier,
    refetchOnWindowFocus: false,
  });
