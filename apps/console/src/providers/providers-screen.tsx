import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ProviderHealth } from '../api/types';
import { count } from '../format';
import { providers as words } from '../screen-texts/providers';
import { texts } from '../texts';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { type Column, Table } from '../ui/table';
import { CallTime, FailedCalls } from './calls';
import { ProviderState } from './provider-state';
import { DEFAULT_ID, providersQuery } from './queries';
import { TestButton } from './test-button';
import { Waiting } from './waiting';

const { columns: headers } = words;

/** A provider, and its rank among those that are tried on its channel. */
type Row = ProviderHealth & { rank: number | undefined };

const COLUMNS: readonly Column<Row>[] = [
  {
    header: headers.title,
    cell: ({ id, title }) => (
      <Link to="/providers/$id" params={{ id }}>
        {title}
      </Link>
    ),
  },
  { header: headers.channel, cell: ({ channel }) => channel },
  { header: headers.rank, cell: ({ rank }) => rank && count(rank), isNumber: true },
  { header: headers.state, cell: (provider) => <ProviderState provider={provider} /> },
  { header: headers.calls, cell: (provider) => <FailedCalls provider={provider} />, isNumber: true },
  { header: headers.p99, cell: (provider) => <CallTime provider={provider} />, isNumber: true },
  { header: headers.waiting, cell: (provider) => <Waiting provider={provider} />, isNumber: true },
  { header: headers.test, cell: ({ id, title }) => <TestButton id={id} of={title} /> },
];

/** The providers in the order in which they are tried: whether they work, and what waits for them. */
export function ProvidersScreen() {
  const query = useQuery(providersQuery);
  return (
    <>
      <Heading title={texts.screens.providers} />
      <Loaded query={query}>
        {(providers) =>
          providers.length > 0 ? (
            <>
              <Table
                name={texts.screens.providers}
                columns={COLUMNS}
                rows={ranked(providers)}
                keyOf={({ id, channel }) => `${id} ${channel}`}
              />
              <p className="quiet">{words.orderHint}</p>
              <p className="quiet">{words.callsHint}</p>
            </>
          ) : (
            <None />
          )
        }
      </Loaded>
    </>
  );
}

/** Disabled ones are not tried, and that of the operators only where the workspace has none for the channel. */
function ranked(providers: readonly ProviderHealth[]): Row[] {
  const ranks = new Map<string, number>();
  return providers.map((provider) => {
    const { id, channel, enabled } = provider;
    const earlier = ranks.get(channel) ?? 0;
    if (!enabled || (id === DEFAULT_ID && earlier > 0)) return { ...provider, rank: undefined };
    ranks.set(channel, earlier + 1);
    return { ...provider, rank: earlier + 1 };
  });
}

function None() {
  const settings = { host: 'mail.example.com', from_address: 'shop@example.com' };
  return <Empty title={words.none} hint={words.noneHint} command={curl('POST', '/providers', { provider: 'smtp', settings })} />;
}
