import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { BulkJobProgress, BulkUser } from '../api/types';
import { RecipientLink } from '../messages/recipient-link';
import { bulkJobs as words } from '../screen-texts/bulk-jobs';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { Section } from '../ui/section';
import { Badge, type Tone } from '../ui/status';
import { type Column, Table } from '../ui/table';
import { usersQuery } from './queries';

const route = getRouteApi('/bulk-jobs/$jobId');
const { userColumns: headers } = words;
const TONES: Readonly<Record<BulkUser['status'], Tone>> = { PENDING: 'pending', ENQUEUED: 'good', ERROR: 'bad' };

/** A user, and where it stands in its page: one without id or address has no name. */
type Row = BulkUser & { index: number };

const COLUMNS: readonly Column<Row>[] = [
  {
    header: headers.message,
    cell: ({ messageId }) =>
      messageId && (
        <Link to="/messages/$messageId" params={{ messageId }}>
          {messageId}
        </Link>
      ),
  },
  { header: headers.user, cell: ({ recipient }) => recipient && <RecipientLink recipient={recipient} /> },
  { header: headers.status, cell: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
  { header: headers.error, cell: ({ error }) => error },
];

/** The users of a job in the order in which they were added, each with its message. */
export function JobUsers({ job: { id, received, enqueued, failures } }: { job: BulkJobProgress }) {
  const { cursor } = route.useSearch();
  const query = useQuery(usersQuery(id, cursor, [received, enqueued, failures].join()));
  return (
    <Section title={words.users}>
      <Loaded query={query}>
        {({ items, paging }) => (
          <>
            {items.length > 0 ? (
              <Table
                name={words.users}
                columns={COLUMNS}
                rows={items.map((user, index) => ({ ...user, index }))}
                keyOf={({ index }) => index}
              />
            ) : (
              <Empty
                title={words.noUsers}
                hint={words.noUsersHint}
                command={curl('POST', `/bulk/${id}`, { users: [{ recipient: 'ada', data: { name: 'Ada' } }] })}
              />
            )}
            <Paging paging={paging} />
          </>
        )}
      </Loaded>
    </Section>
  );
}
