import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { ListedTemplate } from '../api/types';
import { templates as words } from '../screen-texts/templates';
import { texts } from '../texts';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { SearchForm } from '../ui/search-form';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import { CreateTemplate } from './create-template';
import { templatesQuery } from './queries';
import { Tags } from './tags';

const route = getRouteApi('/templates');
const { columns: headers } = words;

const COLUMNS: readonly Column<ListedTemplate>[] = [
  {
    header: headers.name,
    cell: ({ id, title }) => (
      <Link to="/templates/$templateId" params={{ templateId: id }}>
        {title}
      </Link>
    ),
  },
  { header: headers.id, cell: ({ id }) => <code>{id}</code> },
  { header: headers.events, cell: ({ event_ids: events }) => events.join(', ') },
  { header: headers.tags, cell: ({ tags }) => <Tags tags={tags.data.map(({ id }) => id)} /> },
  { header: headers.changed, cell: ({ updated_at: updated }) => <Time at={updated} /> },
];

/** The templates of the workspace, or those of an event or a tag. */
export function TemplatesScreen() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const query = useQuery(templatesQuery(search));
  const find = (text: string) => void navigate({ to: '/templates', search: { query: text || undefined } });
  return (
    <>
      <Heading title={texts.screens.templates} />
      <CreateTemplate />
      <SearchForm label={words.search} hint={words.searchHint} value={search.query ?? ''} onSearch={find} />
      <Loaded query={query}>
        {({ results, paging, matched }) => (
          <>
            <p role="status" className="quiet">
              {matched && results.length > 0 && words.matched[matched]}
            </p>
            {results.length > 0 ? (
              <Table name={texts.screens.templates} columns={COLUMNS} rows={results} keyOf={({ id }) => id} />
            ) : (
              <None query={search.query} />
            )}
            <Paging paging={paging} />
          </>
        )}
      </Loaded>
    </>
  );
}

function None({ query }: { query?: string }) {
  if (query !== undefined)
    return (
      <Empty title={words.noneFound(query)}>
        <Link to="/templates" className="button">
          {words.all}
        </Link>
      </Empty>
    );
  const content = { version: '2022-01-01', elements: [{ type: 'text', content: 'Hello {name}' }] };
  const body = { notification: { name: 'Order shipped', alias: 'order-shipped', content }, state: 'PUBLISHED' };
  return <Empty title={words.none} hint={words.noneHint} command={curl('POST', '/notifications', body)} />;
}
