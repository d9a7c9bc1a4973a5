import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { components } from '../api/schema';
import { routingStrategies as words } from '../screen-texts/routing-strategies';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { Section } from '../ui/section';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import { linkedTemplatesQuery } from './queries';

const route = getRouteApi('/routing-strategies/$strategyId');
const { templateColumns: headers } = words;

const COLUMNS: readonly Column<components['schemas']['TemplateSummary']>[] = [
  {
    header: headers.name,
    cell: ({ id, name }) => (
      <Link to="/templates/$templateId" params={{ templateId: id }}>
        {name}
      </Link>
    ),
  },
  { header: headers.id, cell: ({ id }) => <code>{id}</code> },
  { header: headers.created, cell: ({ created }) => <Time at={created} /> },
];

/** The templates that are linked with a strategy. */
export function LinkedTemplates({ strategyId }: { strategyId: string }) {
  const { cursor } = route.useSearch();
  const query = useQuery(linkedTemplatesQuery(strategyId, cursor));
  return (
    <Section title={words.templates}>
      <Loaded query={query}>
        {({ results, paging }) => (
          <>
            {results.length > 0 ? (
              <Table name={words.templates} columns={COLUMNS} rows={results} keyOf={({ id }) => id} />
            ) : (
              <None strategyId={strategyId} />
            )}
            <Paging paging={paging} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function None({ strategyId }: { strategyId: string }) {
  const content = { version: '2022-01-01', elements: [{ type: 'text', content: 'Hello {name}' }] };
  const notification = { name: 'Order shipped', content, routing: { strategy_id: strategyId } };
  return <Empty title={words.noTemplates} hint={words.noTemplatesHint} command={curl('POST', '/notifications', { notification })} />;
}
