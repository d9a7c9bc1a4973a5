import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { overview as words } from '../screen-texts/overview';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import type { MessageFilter } from './message-filter';
import { MessageTable } from './message-table';
import { messagesQuery } from './queries';

/** The statuses of messages that reached no one although they should have. */
export const FAILURES = 'UNDELIVERABLE,UNROUTABLE,UNMAPPED';
const NEWEST = 10;

/** The newest messages that failed, and a link to all of them. */
export function NewestFailures({ filter = {} }: { filter?: MessageFilter }) {
  const failed = { ...filter, status: FAILURES };
  const query = useQuery(messagesQuery(failed));
  const all = (
    <Link to="/messages" search={failed}>
      {words.allFailures}
    </Link>
  );
  return (
    <Section title={words.newestFailures} actions={all}>
      <Loaded query={query}>
        {({ results }) =>
          results.length === 0 ? (
            <p className="quiet">{words.noFailures}</p>
          ) : (
            <MessageTable name={words.newestFailures} messages={results.slice(0, NEWEST)} />
          )
        }
      </Loaded>
    </Section>
  );
}
