import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import type { paths } from '../api/schema';

type Body = paths['/send']['post']['requestBody']['content']['application/json'];

/** What is planned: a body of `POST /send` as text, or a message that is sent again. */
export type Planned = { body: string } | { message: string };

/** What a send would do. */
export const dryRunQuery = (planned: Planned | undefined) =>
  queryOptions({
    queryKey: ['dry-run', planned],
    queryFn: ({ signal }) => {
      const body = 'message' in planned! ? { message_id: planned.message } : (JSON.parse(planned!.body) as Body);
      return answerOf(api.POST('/console/api/dry-runs', { body, signal }));
    },
    enabled: planned !== undefined,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

/** Does what was planned. Resolves with the id of the request, or of the message. */
export async function sendPlanned(planned: Planned): Promise<string> {
  if ('body' in planned) return (await answerOf(api.POST('/send', { body: JSON.parse(planned.body) as Body }))).requestId;
  const params = { path: { message_id: planned.message } };
  return (await answerOf(api.POST('/messages/{message_id}/resend', { params }))).messageId;
}
