import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { ofFirstPage, REFRESH_MS } from '../api/refresh';
import type { paths } from '../api/schema';

type DeliveriesQuery = NonNullable<paths['/webhooks/{id}/deliveries']['get']['parameters']['query']>;

const HOUR_MS = 3_600_000;

const pathOf = (id: string) => ({ path: { id } });

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: async () => (await answerOf(api.GET('/webhooks'))).results,
});

export const deliveriesQuery = (id: string, filter: { result?: string; message_id?: string }, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['webhook-deliveries', id, filter, cursor],
    queryFn: () =>
      answerOf(api.GET('/webhooks/{id}/deliveries', { params: { ...pathOf(id), query: { ...filter, cursor } as DeliveriesQuery } })),
    refetchInterval: ofFirstPage(cursor),
  });

export const deliveryQuery = (id: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['webhook-delivery', id, deliveryId],
    queryFn: () => answerOf(api.GET('/webhooks/{id}/deliveries/{delivery_id}', { params: { path: { id, delivery_id: deliveryId } } })),
    refetchInterval: ({ state }) => (state.error ? false : REFRESH_MS),
  });

export function createWebhook(body: { url: string; description?: string }) {
  return answerOf(api.POST('/webhooks', { body }));
}

/** A description that is left out is removed. */
export function changeWebhook(id: string, { url, description = null }: { url: string; description?: string | null }) {
  return answerOf(api.PATCH('/webhooks/{id}', { params: pathOf(id), body: { url, description } }));
}

/** Names the removal of a webhook among the mutations. */
export const removalKey = (id: string) => ['remove-webhook', id];

export function removeWebhook(id: string) {
  return answerOf(api.DELETE('/webhooks/{id}', { params: pathOf(id) }));
}

export function setPaused(id: string, isPaused: boolean) {
  return answerOf(api.POST(isPaused ? '/webhooks/{id}/pause' : '/webhooks/{id}/resume', { params: pathOf(id) }));
}

export function testWebhook(id: string) {
  return answerOf(api.POST('/webhooks/{id}/test', { params: pathOf(id) }));
}

export function rotateSecret(id: string) {
  return answerOf(api.POST('/webhooks/{id}/rotate-secret', { params: pathOf(id) }));
}

export function retryDelivery(id: string, deliveryId: string) {
  return answerOf(api.POST('/webhooks/{id}/deliveries/{delivery_id}/replay', { params: { path: { id, delivery_id: deliveryId } } }));
}

/** Posts the failed events of the last hours again. */
export function retryFailed(id: string, hours: number) {
  const from = new Date(Date.now() - hours * HOUR_MS).toISOString();
  return answerOf(api.POST('/webhooks/{id}/replay', { params: pathOf(id), body: { from, result: 'failed' } }));
}
