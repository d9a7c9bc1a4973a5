import { useQuery } from '@tanstack/react-query';
import { LIST_COLUMNS } from '../lists/columns';
import { user as words } from '../screen-texts/user';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { Table } from '../ui/table';
import { profilePath } from './paths';
import { listsQuery } from './queries';

/** The lists that a user is subscribed to. */
export function ListsView({ userId, cursor }: { userId: string; cursor?: string }) {
  const query = useQuery(listsQuery(userId, cursor));
  const command = curl('POST', `${profilePath(userId)}/lists`, { lists: [{ listId: 'team.readers' }] });
  return (
    <Loaded query={query}>
      {({ results, paging }) => (
        <>
          {results.length > 0 ? (
            <Table name={words.tabs.lists} columns={LIST_COLUMNS} rows={results} keyOf={({ id }) => id} />
          ) : (
            <Empty title={words.noLists} hint={words.noListsHint} command={command} />
          )}
          <Paging paging={paging} />
        </>
      )}
    </Loaded>
  );
}
