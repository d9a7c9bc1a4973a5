import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { PAGE_SIZE } from '../api/refresh';

const LOCALES_MAX = 100;
const pathOf = (domain: string, locale: string) => ({ path: { domain, locale } });

export const translationsQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['translations', cursor],
    queryFn: () => answerOf(api.GET('/console/api/translations', { params: { query: { cursor, limit: PAGE_SIZE } } })),
  });

/** Languages to compare with: as many as fit into one page. */
export const localesQuery = queryOptions({
  queryKey: ['locales'],
  queryFn: async () => (await answerOf(api.GET('/console/api/translations', { params: { query: { limit: LOCALES_MAX } } }))).results,
});

/** What is stored of a language: `null` where there is nothing. The listing is first: it knows, where a look-up would be an error. */
export const catalogueQuery = (domain: string, locale: string) =>
  queryOptions({
    queryKey: ['catalogue', domain, locale],
    queryFn: async () => {
      const { results } = await answerOf(api.GET('/console/api/translations', { params: { query: { locale } } }));
      const summary = results.find((one) => one.domain === domain);
      return summary ? { summary, text: await textOf(domain, summary.locale) } : null;
    },
    // What is being written must not be replaced.
    refetchOnWindowFocus: false,
  });

export const textQuery = (domain: string, locale: string) =>
  queryOptions({ queryKey: ['catalogue-text', domain, locale], queryFn: () => textOf(domain, locale) });

function textOf(domain: string, locale: string): Promise<string> {
  return answerOf(api.GET('/translations/{domain}/{locale}', { params: pathOf(domain, locale), parseAs: 'text' }));
}

export function replaceCatalogue(domain: string, locale: string, text: string): Promise<string> {
  return answerOf(api.PUT('/translations/{domain}/{locale}', { params: pathOf(domain, locale), body: text, parseAs: 'text' }));
}
