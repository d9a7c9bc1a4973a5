import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { RoutingStrategySummary } from '../api/types';
import { routingStrategies as words } from '../screen-texts/routing-strategies';
import { texts } from '../texts';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Heading } from '../ui/heading';
import { JsonForm } from '../ui/json-form';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { Section } from '../ui/section';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import { createStrategy, strategiesQuery, type StrategyFields } from './queries';

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
  const create = async (fields: StrategyFields) => {
    const { id } = await createStrategy(fields);
    await navigate({ to: '/routing-strategies/$strategyId', params: { strategyId: id } });
  };
  return (
    <Section title={words.create}>
      <JsonForm
        label={words.field}
        value={EXAMPLE}
        submit={words.create}
        scope="write:routing-strategies"
        onSave={(fields) => create(fields as StrategyFields)}
      />
    </Section>
  );
}
