import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { texts } from '../texts';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import type { MessageFilter } from './message-filter';
import { MessageTable } from './message-table';
import styles from './messages.module.css';
import { FRESH_MAX, freshQuery, messagesQuery } from './queries';
import { useSteadyRows } from './steady-rows';

interface MessageListProps {
  filter: MessageFilter;
  /** Of the address: the page, and the time from which on messages are new on later pages. */
  cursor?: string;
  since?: string;
  name?: string;
  /** Shown where there is no message. */
  empty: ReactNode;
}

/** Messages with their pages: the first one live, the others with the number of new ones. */
export function MessageList({ filter, cursor, since, name, empty }: MessageListProps) {
  const query = useQuery(messagesQuery(filter, cursor));
  return (
    <>
      {cursor !== undefined && since !== undefined && <Fresh filter={filter} since={since} />}
      <Loaded query={query}>
        {({ results, paging }) => (
          <>
            {results.length > 0 ? <LiveTable name={name} messages={results} /> : paging.more ? <p>{texts.paging.endsEarly}</p> : empty}
            <Paging
              paging={paging}
              also={{ since: String(results[0]?.enqueued ?? Date.now()) }}
              labels={{ first: texts.paging.newest, next: texts.paging.older }}
            />
          </>
        )}
      </Loaded>
    </>
  );
}

/** New messages on top would move the rows of a reader who has scrolled: they wait behind a button. */
function LiveTable({ name, messages }: { name?: string; messages: Parameters<typeof MessageTable>[0]['messages'] }) {
  const { rows, waiting } = useSteadyRows(messages);
  return (
    <>
      {waiting > 0 && (
        <button type="button" className={styles.fresh} onClick={() => scrollTo({ top: 0 })}>
          {texts.paging.fresh(waiting, false)}
        </button>
      )}
      <MessageTable name={name} messages={rows} />
    </>
  );
}

/** On later pages: how many messages are new since the first page was shown. */
function Fresh({ filter, since }: { filter: MessageFilter; since: string }) {
  const { data } = useQuery(freshQuery(filter, since));
  const found = data?.results.length ?? 0;
  return (
    <p role="status" className="quiet">
      {found > 0 && texts.paging.fresh(Math.min(found, FRESH_MAX), data?.paging.more ?? false)}
    </p>
  );
}
