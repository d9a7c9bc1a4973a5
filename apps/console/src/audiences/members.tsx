import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Audience, AudienceMember } from '../api/types';
import { count } from '../format';
import { audiences as words } from '../screen-texts/audiences';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import { membersQuery } from './queries';

const route = getRouteApi('/audiences/$audienceId');
const { memberColumns: headers } = words;

const COLUMNS: readonly Column<AudienceMember>[] = [
  {
    header: headers.user,
    cell: ({ member_id: userId }) => (
      <Link to="/users/$userId" params={{ userId }}>
        {userId}
      </Link>
    ),
  },
  { header: headers.since, cell: ({ added_at: since }) => <Time at={Date.parse(since)} /> },
  { header: headers.version, cell: ({ audience_version: version }) => count(version), isNumber: true },
  { header: headers.reason, cell: ({ reason }) => reason },
];

/** The users whom the filter matches, each with the conditions that were evaluated. `isEnding`: they are not read again. */
export function Members({ audience: { id, filter }, isEnding }: { audience: Audience; isEnding: boolean }) {
  const { cursor } = route.useSearch();
  const query = useQuery({ ...membersQuery(id, cursor), enabled: !isEnding });
  return (
    <Loaded query={query}>
      {({ items, paging }) => (
        <>
          {items.length > 0 ? (
            <Table name={words.tabs.members} columns={COLUMNS} rows={items} keyOf={({ member_id: userId }) => userId} />
          ) : (
            <None hasFilter={Boolean(filter)} />
          )}
          <Paging paging={paging} />
        </>
      )}
    </Loaded>
  );
}

function None({ hasFilter }: { hasFilter: boolean }) {
  if (!hasFilter) return <Empty title={words.noFilter} hint={words.noFilterHint} />;
  const command = curl('PUT', '/profiles/ada', { profile: { email: 'ada@example.com', title: 'Architect' } });
  return <Empty title={words.noMembers} hint={words.noMembersHint} command={command} />;
}
