import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { Audience } from '../api/types';
import { audiences as words } from '../screen-texts/audiences';
import { texts } from '../texts';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Heading } from '../ui/heading';
import { LineForm } from '../ui/line-form';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import { audiencesQuery, saveAudience } from './queries';

const route = getRouteApi('/audiences');
const { columns: headers } = words;

const COLUMNS: readonly Column<Audience>[] = [
  {
    header: headers.id,
    cell: ({ id }) => (
      <Link to="/audiences/$audienceId" params={{ audienceId: id }}>
        {id}
      </Link>
    ),
  },
  { header: headers.name, cell: ({ name }) => name },
  { header: headers.description, cell: ({ description }) => description },
  { header: headers.updated, cell: ({ updated_at: updated }) => <Time at={Date.parse(updated)} /> },
];

/** The audiences of the workspace, by id. */
export function AudiencesScreen() {
  const { cursor } = route.useSearch();
  const navigate = useNavigate();
  const query = useQuery(audiencesQuery(cursor));
  // Of an audience that exists every field stays.
  const create = async (audienceId: string) => {
    await saveAudience(audienceId, {});
    await navigate({ to: '/audiences/$audienceId', params: { audienceId }, search: { view: 'filter' } });
  };
  return (
    <>
      <Heading title={texts.screens.audiences} />
      <Loaded query={query}>
        {({ items, paging }) => (
          <>
            {items.length > 0 ? <Table name={texts.screens.audiences} columns={COLUMNS} rows={items} keyOf={({ id }) => id} /> : <None />}
            <Paging paging={paging} />
          </>
        )}
      </Loaded>
      <LineForm label={words.newId} submit={words.create} scope="write:audiences" onSubmit={create} />
    </>
  );
}

function None() {
  const filter = { operator: 'EQ', path: 'title', value: 'Architect' };
  return <Empty title={words.none} hint={words.noneHint} command={curl('PUT', '/audiences/architects', { name: 'Architects', filter })} />;
}
