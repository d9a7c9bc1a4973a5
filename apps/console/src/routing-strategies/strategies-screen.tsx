import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { RoutingStrategySummary } from '../api/types';
import { routingStrategies as words } from '../screen-texts/routing-strategies';
import { texts } from '../texts';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { Section } from '../ui/section';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import { createStrategy, strategiesQuery, type StrategyFields } from './queries';
import { StrategyForm } from './strategy-form';

const route = getRouteApi('/routing-strategies');
const { columns: headers } = words;
const EXAMPLE: StrategyFields = { name: 'E-mail, then SMS', routing: { method: 'single', channels: ['email', 'sms'] } };

const COLUMNS: readonly Column<RoutingStrategySummary>[] = [
  {
    header: headers.name,
    cell: ({ id, name }) => (
      <Link to="/routing-strategies/$strategyId" params={{ strategyId: id }}>
        {name}
      </Link>
    ),
  },
  { header: headers.id, cell: ({ id }) => <code>{id}</code> },
  { header: headers.description, cell: ({ description }) => description },
  { header: headers.tags, cell: ({ tags }) => tags?.join(', ') },
  { header: headers.changed, cell: ({ updated, created }) => <Time at={updated ?? created} /> },
];

/** The routing strategies of the workspace, the newest first. */
export function StrategiesScreen() {
  const { cursor } = route.useSearch();
  const query = useQuery(strategiesQuery(cursor));
  return (
    <>
      <Heading title={texts.screens.routingStrategies} />
      <Loaded query={query}>
        {({ results, paging }) => (
          <>
            {results.length > 0 ? (
              <Table name={texts.screens.routingStrategies} columns={COLUMNS} rows={results} keyOf={({ id }) => id} />
            ) : (
              <Empty title={words.none} hint={words.noneHint} command={curl('POST', '/routing-strategies', EXAMPLE)} />
            )}
            <Paging paging={paging} />
          </>
        )}
      </Loaded>
      <Create />
    </>
  );
}

function Create() {
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: createStrategy,
    onSuccess: ({ id }) => void navigate({ to: '/routing-strategies/$strategyId', params: { strategyId: id } }),
  });
  return (
    <Section title={words.create}>
      <StrategyForm initial={EXAMPLE} save={words.create} action={create} onSubmit={create.mutate} />
    </Section>
  );
}
