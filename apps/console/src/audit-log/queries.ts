import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import type { paths } from '../api/schema';

type Query = NonNullable<paths['/audit-events']['get']['parameters']['query']>;

/** What the list is limited to, as the address has it. */
export type AuditFilter = Partial<Record<'type' | 'actor' | 'target' | 'before', string>>;

/** A page of audit events, the newest first. A type that does not exist is refused with the existing ones. */
export const auditEventsQuery = (filter: AuditFilter, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['audit-events', filter, cursor],
    queryFn: () => answerOf(api.GET('/audit-events', { params: { query: { ...filter, cursor } as Query } })),
  });

export const auditEventQuery = (id: string) =>
  queryOptions({
    queryKey: ['audit-event', id],
    queryFn: () => answerOf(api.GET('/audit-events/{audit_event_id}', { params: { path: { audit_event_id: id } } })),
    staleTime: Infinity,
  });
