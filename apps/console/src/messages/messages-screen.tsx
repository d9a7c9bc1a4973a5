import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { hasScope, useSession } from '../api/session';
import { messages as words } from '../screen-texts/messages';
import { texts } from '../texts';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { FilterChips } from '../ui/filter-chips';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { SearchForm } from '../ui/search-form';
import { MoreFilters, StatusFilter } from './filters';
import { filterOf, type MessageFilter } from './message-filter';
import { MessageList } from './message-list';
import styles from './messages.module.css';
import { type Match, matchQuery } from './queries';

const route = getRouteApi('/messages');

export function MessagesScreen() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const filter = filterOf(search);
  const find = (query: string) => void navigate({ to: '/messages', search: { ...filter, query: query || undefined } });
  return (
    <>
      <Heading title={texts.screens.messages} />
      <div className={styles.controls}>
        <SearchForm label={words.search} hint={words.searchHint} value={search.query ?? ''} onSearch={find} />
        <StatusFilter status={filter.status} />
      </div>
      <MoreFilters filter={filter} />
      <FilterChips names={words.filters} filter={filter} />
      {search.query === undefined ? <Found filter={filter} /> : <Searched query={search.query} filter={filter} />}
    </>
  );
}

/** Messages that a text names, and what it was found as. */
function Searched({ query, filter }: { query: string; filter: MessageFilter }) {
  const findsUsers = hasScope(useSession(), 'read:profiles');
  const found = useQuery(matchQuery(query, filter, findsUsers));
  return (
    <Loaded query={found}>
      {({ match, others }) =>
        match ? (
          <>
            <Matched match={match} others={others} />
            <Found filter={{ ...filter, ...match.filter }} />
          </>
        ) : (
          <Empty title={words.noMatch(query)} hint={words.noneFilteredHint} />
        )
      }
    </Loaded>
  );
}

function Matched({ match, others }: Match) {
  if (!match) return null;
  const { matched } = words;
  return (
    <p role="status" className={styles.match}>
      <strong>{match.matched === 'user' ? matched.user(match.user ?? '') : matched[match.matched]}</strong>
      {others.map(({ filter, user }) => (
        <Link key={filter.recipient} to="/messages" search={filter}>
          {user === undefined ? words.alsoAddress : words.alsoUser(user)}
        </Link>
      ))}
    </p>
  );
}

function Found({ filter }: { filter: MessageFilter }) {
  const { cursor, since } = route.useSearch();
  const isFiltered = Object.keys(filter).length > 0;
  return <MessageList filter={filter} cursor={cursor} since={since} empty={isFiltered ? <NoneFiltered /> : <NoMessages />} />;
}

function NoneFiltered() {
  return (
    <Empty title={words.noneFiltered} hint={words.noneFilteredHint}>
      <Link to="/messages" className="button">
        {words.clearFilters}
      </Link>
    </Empty>
  );
}

function NoMessages() {
  const message = { to: { email: 'ada@example.com' }, content: { title: 'Hello', body: 'It works' } };
  return <Empty title={words.none} hint={words.noneHint} command={curl('POST', '/send', { message })} />;
}
