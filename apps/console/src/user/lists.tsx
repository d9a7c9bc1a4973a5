import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { List } from '../api/types';
import { user as words } from '../screen-texts/user';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import { profilePath } from './paths';
import { listsQuery } from './queries';

const { listColumns: headers } = words;

const COLUMNS: readonly Column<List>[] = [
  {
    header: headers.id,
    cell: ({ id }) => (
      <Link to="/lists/$listId" params={{ listId: id }}>
        {id}
      </Link>
    ),
  },
  { header: headers.name, cell: ({ name }) => name },
  { header: headers.created, cell: ({ created }) => <Time at={Date.parse(created)} /> },
];

/** The lists that a user is subscribed to. */
export function ListsView({ userId, cursor }: { userId: string; cursor?: string }) {
  const query = useQuery(listsQuery(userId, cursor));
  const command = curl('POST', `${profilePath(userId)}/lists`, { lists: [{ listId: 'team.readers' }] });
  return (
    <Loaded query={query}>
      {({ results, paging }) => (
        <>
          {results.length > 0 ? (
            <Table name={words.tabs.lists} columns={COLUMNS} rows={results} keyOf={({ id }) => id} />
          ) : (
            <Empty title={words.noLists} hint={words.noListsHint} command={command} />
          )}
          <Paging paging={paging} />
        </>
      )}
    </Loaded>
  );
}
