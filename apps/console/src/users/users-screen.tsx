import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { answerOf, api } from '../api/client';
import { PAGE_SIZE } from '../api/refresh';
import type { FoundUser } from '../api/types';
import { users as words } from '../screen-texts/users';
import { texts } from '../texts';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { SearchForm } from '../ui/search-form';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import styles from './users.module.css';

const route = getRouteApi('/users');
const { columns: headers } = words;

const usersQuery = (search: { query?: string; cursor?: string }) =>
  queryOptions({
    queryKey: ['users', search],
    queryFn: () => answerOf(api.GET('/console/api/users', { params: { query: { ...search, limit: PAGE_SIZE } } })),
    placeholderData: (earlier) => earlier,
  });

const COLUMNS: readonly Column<FoundUser>[] = [
  {
    header: headers.id,
    cell: ({ id }) => (
      <Link to="/users/$userId" params={{ userId: id }}>
        {id}
      </Link>
    ),
  },
  { header: headers.name, cell: ({ name }) => name },
  { header: headers.email, cell: ({ email }) => email },
  { header: headers.phone, cell: ({ phone_number: phone }) => phone },
  { header: headers.updated, cell: ({ updated }) => updated && <Time at={Date.parse(updated)} /> },
];

/** Users by the beginning of their id, or by a whole address. */
export function UsersScreen() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const query = useQuery(usersQuery(search));
  const find = (text: string) => void navigate({ to: '/users', search: { query: text || undefined } });
  return (
    <>
      <Heading title={texts.screens.users} />
      <SearchForm label={words.search} hint={words.searchHint} value={search.query ?? ''} onSearch={find} />
      <Loaded query={query}>
        {({ items, matched, paging }) => (
          <div className={styles.found}>
            <p role="status" className="quiet">
              {matched && words.matched[matched]}
            </p>
            {items.length > 0 ? (
              <Table name={texts.screens.users} columns={COLUMNS} rows={items} keyOf={({ id }) => id} />
            ) : (
              <None query={search.query} />
            )}
            <Paging paging={paging} />
          </div>
        )}
      </Loaded>
    </>
  );
}

function None({ query }: { query?: string }) {
  if (query === undefined) {
    const profile = { email: 'ada@example.com', name: 'Ada' };
    return <Empty title={words.none} hint={words.noneHint} command={curl('PUT', '/profiles/ada', { profile })} />;
  }
  return (
    <Empty title={words.noneFound(query)} hint={words.noneFoundHint}>
      <Link to="/messages" search={{ query }} className="button">
        {words.searchMessages}
      </Link>
    </Empty>
  );
}
