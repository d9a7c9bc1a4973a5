import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import type { BodyOf } from '../api/types';

/** Id of the brand that every workspace has. */
export const DEFAULT_ID = 'default';

/** A brand as it is put; a text may have fields that the interface refuses. */
export type BrandDraft = BodyOf<'content.brands.replace'>;

const pathOf = (id: string) => ({ params: { path: { brand_id: id } } });

export const brandsPageQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['brands-page', cursor],
    queryFn: () => answerOf(api.GET('/brands', { params: { query: { cursor } } })),
  });

export const brandQuery = (id: string) =>
  queryOptions({
    queryKey: ['brand', id],
    queryFn: () => answerOf(api.GET('/brands/{brand_id}', pathOf(id))),
    // What is being written must not be replaced.
    refetchOnWindowFocus: false,
  });

export function createBrand(body: { name: string; id?: string }) {
  return answerOf(api.POST('/brands', { body }));
}

export function replaceBrand(id: string, body: BrandDraft) {
  return answerOf(api.PUT('/brands/{brand_id}', { ...pathOf(id), body }));
}

export function removeBrand(id: string) {
  return answerOf(api.DELETE('/brands/{brand_id}', pathOf(id)));
}

/** Puts the settings and snippets of a brand to the default one, whose name stays. */
export async function makeDefault({ settings, snippets }: BrandDraft) {
  const { name } = await answerOf(api.GET('/brands/{brand_id}', pathOf(DEFAULT_ID)));
  return replaceBrand(DEFAULT_ID, { name, settings, snippets });
}
