import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { LIVE_MS, ofFirstPage, PAGE_SIZE } from '../api/refresh';
import type { BulkJobSummary } from '../api/types';

const pathOf = (jobId: string) => ({ path: { job_id: jobId } });

/** Whether the counts of a job may still change. */
export const isOpen = ({ status }: Pick<BulkJobSummary, 'status'>) => status === 'CREATED' || status === 'PROCESSING';

/** A page of jobs, the newest first; the first page renews itself. */
export const bulkJobsQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['bulk-jobs', cursor],
    queryFn: () => answerOf(api.GET('/console/api/bulk', { params: { query: { cursor, limit: PAGE_SIZE } } })),
    refetchInterval: ofFirstPage(cursor),
  });

/** How far a job is; live until it ends. */
export const progressQuery = (jobId: string) =>
  queryOptions({
    queryKey: ['bulk-job', jobId],
    queryFn: () => answerOf(api.GET('/console/api/bulk/{job_id}', { params: pathOf(jobId) })),
    refetchInterval: ({ state: { data } }) => (data && isOpen(data) ? LIVE_MS : false),
  });

/** A page of the users of a job. `version` has the counts of the job: with other ones they are read again. */
export const usersQuery = (jobId: string, cursor: string | undefined, version: string) =>
  queryOptions({
    queryKey: ['bulk-users', jobId, cursor, version],
    queryFn: () => answerOf(api.GET('/bulk/{job_id}/users', { params: { ...pathOf(jobId), query: { cursor } } })),
    placeholderData: (earlier, query) => (query?.queryKey[1] === jobId && query.queryKey[2] === cursor ? earlier : undefined),
  });

/** The message of a job, which does not change. */
export const definitionQuery = (jobId: string) =>
  queryOptions({
    queryKey: ['bulk-definition', jobId],
    queryFn: async () => (await answerOf(api.GET('/bulk/{job_id}', { params: pathOf(jobId) }))).job.definition,
    staleTime: Infinity,
  });
