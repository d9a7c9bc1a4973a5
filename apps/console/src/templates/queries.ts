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

/** The draft of a template, for a change of it: never an earlier one from the cache. */
export const draftQuery = (id: string) =>
  queryOptions({
    queryKey: ['template-draft', id],
    queryFn: () => answerOf(api.GET('/notifications/{id}', { params: { path: { id }, query: { version: 'draft' } } })),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

/** The content of a draft, with the id of each element. */
export const contentQuery = (id: string) =>
  queryOptions({
    queryKey: ['template-content', id],
    queryFn: () => answerOf(api.GET('/notifications/{id}/content', { params: { path: { id }, query: { version: 'draft' } } })),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

/** What a preview is rendered with. */
export type PreviewInput = BodyOf<'content.previews.render'>;

/** What is previewed: a version of a template, or content that is not stored with the settings of the template. */
export type PreviewSource = Pick<PreviewInput, 'version' | 'content'> & { template: string };

/** The output for every channel. A preview that is refused because others run is repeated when the answer says. */
export const previewQuery = (input: PreviewInput) =>
  queryOptions({
    queryKey: ['preview', input],
    queryFn: ({ signal }) => answerOf(api.POST('/content/preview', { body: input, signal })),
    placeholderData: (earlier) => earlier,
    refetchOnWindowFocus: false,
  });
