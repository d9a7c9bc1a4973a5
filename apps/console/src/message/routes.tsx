import { Link } from '@tanstack/react-router';
import { count } from '../format';
import { message as words } from '../screen-texts/message';
import { Section } from '../ui/section';
import { Status } from '../ui/status';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import styles from './message.module.css';
import type { Route } from './queries';

const { routeColumns: headers } = words;
const TIMES = ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained', 'unsubscribed'] as const;

const COLUMNS: readonly Column<Route>[] = [
  { header: headers.channel, cell: ({ channel }) => String(channel.key) },
  {
    header: headers.provider,
    cell: ({ provider, alias, configuration_id: id }) =>
      id ? (
        <Link to="/messages" search={{ provider: id }}>
          {alias ? `${alias} (${provider})` : provider}
        </Link>
      ) : (
        provider
      ),
  },
  { header: headers.status, cell: ({ status }) => (status ? <Status value={status} /> : words.inProgress) },
  {
    header: headers.attempts,
    cell: ({ attempts }) => (attempts === undefined || attempts === null ? '' : count(attempts)),
    isNumber: true,
  },
  { header: headers.times, cell: (route) => <Times route={route} /> },
  {
    header: headers.error,
    cell: ({ error, providerResponse, reference }) => (
      <>
        {error}
        {(providerResponse ?? reference) && <code className={styles.reply}>{JSON.stringify(providerResponse ?? reference)}</code>}
      </>
    ),
  },
];

function Times({ route }: { route: Route }) {
  const times = TIMES.flatMap((name) => (route[name] ? [[name, route[name]] as const] : []));
  return (
    <ul>
      {times.map(([name, at]) => (
        <li key={name}>
          {name} <Time at={at} />
        </li>
      ))}
      {route.next_attempt && (
        <li>
          {words.nextAttempt} <Time at={route.next_attempt} />
        </li>
      )}
    </ul>
  );
}

/** The routes of a message: each provider that was or will be called. */
export function Routes({ routes }: { routes: readonly Route[] }) {
  return (
    <Section title={words.routes}>
      {routes.length === 0 ? (
        <p className="quiet">{words.routesNone}</p>
      ) : (
        <Table
          name={words.routes}
          columns={COLUMNS}
          rows={routes}
          keyOf={({ channel, configuration_id: id, provider }) => `${String(channel.key)} ${id ?? provider}`}
        />
      )}
    </Section>
  );
}
