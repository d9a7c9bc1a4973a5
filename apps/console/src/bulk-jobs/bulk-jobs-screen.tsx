import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { BulkJobSummary } from '../api/types';
import { count } from '../format';
import { bulkJobs as words } from '../screen-texts/bulk-jobs';
import { texts } from '../texts';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import { JobStatus } from './job-status';
import { bulkJobsQuery } from './queries';

const route = getRouteApi('/bulk-jobs');
const { columns: headers } = words;

const COLUMNS: readonly Column<BulkJobSummary>[] = [
  {
    header: headers.id,
    cell: ({ id }) => (
      <Link to="/bulk-jobs/$jobId" params={{ jobId: id }}>
        {id}
      </Link>
    ),
  },
  { header: headers.status, cell: ({ status }) => <JobStatus status={status} /> },
  { header: headers.template, cell: ({ template }) => template },
  {
    header: headers.progress,
    cell: ({ received, enqueued, failures }) => words.done(enqueued + failures, received),
    isNumber: true,
  },
  { header: headers.failures, cell: ({ failures }) => count(failures), isNumber: true },
  { header: headers.created, cell: ({ created }) => <Time at={created} /> },
  { header: headers.run, cell: ({ run }) => typeof run === 'number' && <Time at={run} /> },
];

/** The bulk jobs of the workspace, the newest first. */
export function BulkJobsScreen() {
  const { cursor } = route.useSearch();
  const query = useQuery(bulkJobsQuery(cursor));
  return (
    <>
      <Heading title={texts.screens.bulkJobs} />
      <Loaded query={query}>
        {({ results, paging }) => (
          <>
            {results.length > 0 ? (
              <Table name={texts.screens.bulkJobs} columns={COLUMNS} rows={results} keyOf={({ id }) => id} />
            ) : (
              <None />
            )}
            <Paging paging={paging} labels={{ first: texts.paging.newest, next: texts.paging.older }} />
          </>
        )}
      </Loaded>
    </>
  );
}

function None() {
  const message = { content: { title: 'Hello {name}', body: 'It works' } };
  const commands = [
    curl('POST', '/bulk', { message }),
    curl('POST', '/bulk/$JOB', { users: [{ profile: { email: 'ada@example.com' }, data: { name: 'Ada' } }] }),
    curl('POST', '/bulk/$JOB/run'),
  ];
  return <Empty title={words.none} hint={words.noneHint} command={commands.join('\n')} />;
}
