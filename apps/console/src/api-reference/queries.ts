import { queryOptions } from '@tanstack/react-query';
import { answerOf } from '../api/client';
import { type AsyncApiDocument, readAsyncApi } from './asyncapi';
import { type OpenApiDocument, readOpenApi } from './openapi';

async function documentAt<Document>(path: string): Promise<Document> {
  const fetched = fetch(path).then(async (response) => ({ response, data: (await response.json()) as Document }));
  return answerOf(fetched);
}

/** The operations of this gateway, which change with its version alone. */
export const referenceQuery = queryOptions({
  queryKey: ['openapi'],
  queryFn: async () => readOpenApi(await documentAt<OpenApiDocument>('/openapi.json')),
  staleTime: Infinity,
});

/** The topics of this installation. */
export const topicsQuery = queryOptions({
  queryKey: ['asyncapi'],
  queryFn: async () => readAsyncApi(await documentAt<AsyncApiDocument>('/asyncapi.json')),
  staleTime: Infinity,
});
