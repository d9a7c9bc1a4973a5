import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { List } from '../api/types';
import { lists as words } from '../screen-texts/lists';
import { texts } from '../texts';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Heading } from '../ui/heading';
import { LineForm } from '../ui/line-form';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { SearchForm } from '../ui/search-form';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import { LIST_COLUMNS } from './columns';
import { createList, listsQuery } from './queries';

const route = getRouteApi('/lists');
const COLUMNS: readonly Column<List>[] = [
  ...LIST_COLUMNS,
  { header: words.columns.updated, cell: ({ updated }) => <Time at={Date.parse(updated)} /> },
];

/** The lists of the workspace, or those that match a pattern. */
export function ListsScreen() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const query = useQuery(listsQuery(search));
  const find = (text: string) => void navigate({ to: '/lists', search: { query: text || undefined } });
  const create = async (listId: string) => {
    await createList(listId);
    await navigate({ to: '/lists/$listId', params: { listId } });
  };
  return (
    <>
      <Heading title={texts.screens.lists} />
      <SearchForm label={words.search} hint={words.searchHint} value={search.query ?? ''} onSearch={find} />
      <Loaded query={query}>
        {({ items, paging }) => (
          <>
            {items.length > 0 ? (
              <Table name={texts.screens.lists} columns={COLUMNS} rows={items} keyOf={({ id }) => id} />
            ) : (
              <None pattern={search.query} />
            )}
            <Paging paging={paging} />
          </>
        )}
      </Loaded>
      <LineForm label={words.newId} submit={words.create} scope="write:lists" onSubmit={create} />
    </>
  );
}

function None({ pattern }: { pattern?: string }) {
  if (pattern !== undefined)
    return (
      <Empty title={words.noneFound(pattern)}>
        <Link to="/lists" className="button">
          {words.all}
        </Link>
      </Empty>
    );
  const command = curl('PUT', '/lists/team.readers/subscriptions/ada');
  return <Empty title={words.none} hint={words.noneHint} command={command} />;
}
