import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMissingScope } from '../api/session';
import type { Brand } from '../api/types';
import { brands as words } from '../screen-texts/brands';
import { texts } from '../texts';
import { curl } from '../ui/curl';
import { EditForm } from '../ui/edit-form';
import { Empty } from '../ui/empty';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { Section } from '../ui/section';
import { Badge } from '../ui/status';
import { type Column, Table } from '../ui/table';
import { TextField } from '../ui/text-field';
import { Time } from '../ui/time';
import { Colors } from './colors';
import { brandsPageQuery, createBrand, DEFAULT_ID } from './queries';

const route = getRouteApi('/brands');
const { columns: headers } = words;

const COLUMNS: readonly Column<Brand>[] = [
  {
    header: headers.name,
    cell: ({ id, name }) => (
      <>
        <Link to="/brands/$brandId" params={{ brandId: id }}>
          {name}
        </Link>{' '}
        {id === DEFAULT_ID && <Badge tone="neutral">{words.isDefault}</Badge>}
      </>
    ),
  },
  { header: headers.id, cell: ({ id }) => <code>{id}</code> },
  { header: headers.colors, cell: ({ settings }) => <Colors settings={settings} /> },
  { header: headers.changed, cell: ({ updated }) => <Time at={updated} /> },
];

/** The brands of the workspace, of which one is the default. */
export function BrandsScreen() {
  const { cursor } = route.useSearch();
  const query = useQuery(brandsPageQuery(cursor));
  return (
    <>
      <Heading title={texts.screens.brands} />
      <Loaded query={query}>
        {({ results, paging }) => (
          <>
            <Table name={texts.screens.brands} columns={COLUMNS} rows={results} keyOf={({ id }) => id} />
            <Paging paging={paging} />
            {results.every(({ id }) => id === DEFAULT_ID) && !paging.more && <None />}
          </>
        )}
      </Loaded>
      <Create />
    </>
  );
}

function None() {
  const body = { id: 'acme', name: 'Acme', settings: { colors: { primary: '#9D3789' } } };
  return <Empty title={words.none} hint={words.noneHint} command={curl('POST', '/brands', body)} />;
}

/** A brand without settings; its page has the rest. */
function Create() {
  const [name, setName] = useState('');
  const [id, setId] = useState('');
  const missing = useMissingScope('write:brands');
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: () => createBrand({ name, id: id.trim() || undefined }),
    onSuccess: ({ id: brandId }) => void navigate({ to: '/brands/$brandId', params: { brandId } }),
  });
  return (
    <Section title={words.create}>
      <EditForm save={words.create} action={create} missing={missing} onSubmit={() => create.mutate()}>
        <TextField label={words.name} value={name} isRequired onChange={setName} />
        <TextField label={words.newId} value={id} onChange={setId} />
      </EditForm>
    </Section>
  );
}
