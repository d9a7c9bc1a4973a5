import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import type { Message } from '../api/types';
import { objectOf } from '../message/fields';
import { explainQuery, historyQuery, messageQuery } from '../message/queries';

const ARRIVED = ['DELIVERED', 'OPENED', 'CLICKED'] as const;

/** The last other message of the template that arrived; `null` if there is none. */
export const lastArrivedQuery = ({ id, notification }: Message) =>
  queryOptions({
    queryKey: ['last-arrived', id, notification],
    queryFn: async (): Promise<string | null> => {
      if (notification === '') return null;
      const { results } = await answerOf(api.GET('/messages', { params: { query: { notification, status: [...ARRIVED], limit: 2 } } }));
      return results.find((one) => one.id !== id)?.id ?? null;
    },
    refetchOnWindowFocus: false,
  });

/** What two messages are compared by, each as text. */
export type ComparedParts = Record<'record' | 'profile' | 'data' | 'decisions' | 'output', string>;

/** The parts of a message as texts, read once. */
export const partsQuery = (id: string) =>
  queryOptions({
    queryKey: ['compared', id],
    queryFn: async ({ client }): Promise<ComparedParts> => {
      const message = await client.fetchQuery(messageQuery(id));
      const [events, { sentence, decisions }, output] = await Promise.all([
        client.fetchQuery(historyQuery(message)),
        client.fetchQuery(explainQuery(message)),
        answerOf(api.GET('/messages/{message_id}/output', { params: { path: { message_id: id } } })),
      ]);
      const field = (type: string, name: string) => {
        const event = events.find((one) => one.type === type);
        return textOf(event ? objectOf(event, name) : {});
      };
      return {
        record: textOf(message),
        profile: field('PROFILE_LOADED', 'merged_profile'),
        data: field('ENQUEUED', 'data'),
        decisions: [sentence, ...decisions.map(({ question, answer, whose }) => `${question} ${answer} (${whose})`)].join('\n'),
        output: output.results.map(({ channel, content }) => outputText(channel, content as Record<string, unknown>)).join('\n\n'),
      };
    },
    staleTime: 15_000,
    refetchOnWindowFocus: false,
  });

const textOf = (value: unknown) => JSON.stringify(value, null, 2);

/** The texts of an output that are not empty. */
function outputText(channel: string, content: Record<string, unknown>) {
  const parts = ['subject', 'title', 'text', 'html'].flatMap((name) => {
    const value = content[name];
    return typeof value === 'string' && value !== '' ? [`${name}: ${value}`] : [];
  });
  return [channel, ...parts].join('\n');
}
