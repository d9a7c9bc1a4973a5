import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { LIVE_MS } from '../api/refresh';
import type { components } from '../api/schema';
import type { Message } from '../api/types';

type Schemas = components['schemas'];
/** An event of a message; its further fields depend on the type. */
export type HistoryEvent = Schemas['HistoryEvent'] & Readonly<Record<string, unknown>>;
export type Route = Schemas['ProviderStatus'];

/** A final message changes by reports of providers alone. */
const REPORTS_MS = 15_000;
const OPEN = new Set<string>(['ENQUEUED', 'DELAYED', 'ROUTED', 'DIGESTED', 'SENT']);

const refreshOf = (status: string | undefined) => (status === undefined || OPEN.has(status) ? LIVE_MS : REPORTS_MS);

export const messageQuery = (id: string) =>
  queryOptions({
    queryKey: ['message', id],
    queryFn: () => answerOf(api.GET('/messages/{message_id}', { params: { path: { message_id: id } } })),
    refetchInterval: ({ state }) => (state.error ? false : refreshOf(state.data?.status)),
  });

const inStep = (status: string) => ({ refetchInterval: refreshOf(status) });

/** What else a page shows of a message; read again while its status may change. */
export const historyQuery = ({ id, status }: Message) =>
  queryOptions({
    queryKey: ['history', id],
    queryFn: async () => {
      const { results } = await answerOf(api.GET('/messages/{message_id}/history', { params: { path: { message_id: id } } }));
      return results;
    },
    ...inStep(status),
  });

export const explainQuery = ({ id, status }: Message) =>
  queryOptions({
    queryKey: ['explain', id],
    queryFn: () => answerOf(api.GET('/console/api/messages/{message_id}/explain', { params: { path: { message_id: id } } })),
    ...inStep(status),
  });

/** A part of the rendered content as text. */
export const partQuery = (address: string) =>
  queryOptions({
    queryKey: ['part', address],
    queryFn: async () => {
      const call = fetch(address).then(async (response) => ({ data: await response.text(), response }));
      return answerOf(call);
    },
    staleTime: Infinity,
  });
