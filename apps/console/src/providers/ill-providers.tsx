import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ProviderHealth } from '../api/types';
import { providers as words } from '../screen-texts/providers';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { type Column, Table } from '../ui/table';
import { FailedCalls } from './calls';
import { ProviderState } from './provider-state';
import { providersQuery } from './queries';
import { Waiting } from './waiting';

const COLUMNS: readonly Column<ProviderHealth>[] = [
  {
    header: words.columns.title,
    cell: ({ id, title }) => (
      <Link to="/providers/$id" params={{ id }}>
        {title}
      </Link>
    ),
  },
  { header: words.columns.state, cell: (provider) => <ProviderState provider={provider} /> },
  { header: words.columns.calls, cell: (provider) => <FailedCalls provider={provider} />, isNumber: true },
  { header: words.columns.waiting, cell: (provider) => <Waiting provider={provider} />, isNumber: true },
];

/** Not called, or called in vain. A provider that the workspace has disabled is none of them. */
const isIll = ({ state, breaker, retried, calls_failed: failed }: ProviderHealth) =>
  state === 'paused' || breaker !== 'closed' || retried > 0 || failed > 0;

/** The providers that do not work now. */
export function IllProviders() {
  const query = useQuery(providersQuery);
  return (
    <Section title={words.ill} actions={<Link to="/providers">{words.allProviders}</Link>}>
      <Loaded query={query}>
        {(providers) => {
          const ill = providers.filter(isIll);
          if (ill.length === 0) return <p className="quiet">{words.noneIll}</p>;
          return <Table name={words.ill} columns={COLUMNS} rows={ill} keyOf={({ id, channel }) => `${id} ${channel}`} />;
        }}
      </Loaded>
    </Section>
  );
}
