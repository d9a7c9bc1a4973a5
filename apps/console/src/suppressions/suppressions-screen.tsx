import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMissingScope } from '../api/session';
import type { Suppression } from '../api/types';
import { suppressions as words } from '../screen-texts/suppressions';
import { texts } from '../texts';
import { Action } from '../ui/action';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { SearchForm } from '../ui/search-form';
import { Select } from '../ui/select';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import { type SuppressionFilter, suppressionsQuery } from './queries';
import { ReasonBadge, sourceText } from './reason-badge';
import { SuppressDialog } from './suppress-dialog';
import styles from './suppressions.module.css';

const route = getRouteApi('/suppressions');
const { columns: headers } = words;
const ANY = 'any';

const COLUMNS: readonly Column<Suppression>[] = [
  {
    header: headers.address,
    cell: ({ channel, address }) =>
      typeof address === 'string' ? (
        <Link to="/suppressions/$channel/$address" params={{ channel, address }}>
          {address}
        </Link>
      ) : (
        <span className="quiet">{words.erased}</span>
      ),
  },
  { header: headers.channel, cell: ({ channel }) => channel },
  { header: headers.reason, cell: (suppression) => <ReasonBadge suppression={suppression} /> },
  { header: headers.since, cell: ({ created }) => <Time at={Date.parse(created)} /> },
  { header: headers.source, cell: sourceText },
  {
    header: headers.message,
    cell: ({ message_id: id }) =>
      id && (
        <Link to="/messages/$messageId" params={{ messageId: id }}>
          {id}
        </Link>
      ),
  },
];

/** The addresses to which nothing is sent. */
export function SuppressionsScreen() {
  const { cursor, ...filter } = route.useSearch();
  const navigate = useNavigate();
  const missing = useMissingScope('write:suppressions');
  const query = useQuery(suppressionsQuery(filter, cursor));
  const [isAdding, setIsAdding] = useState(false);
  const setFilter = (changed: SuppressionFilter) => void navigate({ to: '/suppressions', search: { ...filter, ...changed } });
  const select = (name: 'channel' | 'reason', values: Readonly<Record<string, string>>) => (
    <Select
      label={words[name]}
      value={filter[name] ?? ANY}
      options={[[ANY, words.any], ...Object.entries(values)]}
      onChange={(chosen) => setFilter({ [name]: chosen === ANY ? undefined : chosen })}
    />
  );
  return (
    <>
      <Heading title={texts.screens.suppressions} />
      <div className={styles.controls}>
        <SearchForm
          label={words.search}
          hint={words.searchHint}
          value={filter.address ?? ''}
          onSearch={(address) => setFilter({ address: address || undefined })}
        />
        {select('channel', words.channels)}
        {select('reason', words.reasons)}
        <Action name={words.add} missing={missing} onPress={() => setIsAdding(true)} />
      </div>
      <Loaded query={query}>
        {({ results, paging }) => (
          <>
            {results.length > 0 ? (
              <Table
                name={texts.screens.suppressions}
                columns={COLUMNS}
                rows={results.map((one, index) => ({ ...one, index }))}
                keyOf={({ index }) => index}
              />
            ) : (
              <None isFiltered={Object.keys(filter).length > 0} />
            )}
            <Paging paging={paging} />
          </>
        )}
      </Loaded>
      {isAdding && <SuppressDialog address={filter.address} onClose={() => setIsAdding(false)} />}
    </>
  );
}

function None({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered)
    return (
      <Empty title={words.none} hint={words.noneHint} command={curl('PUT', '/suppressions/email/ada@example.com', { reason: 'manual' })} />
    );
  return (
    <Empty title={words.noneFound} hint={words.noneFoundHint}>
      <Link to="/suppressions" className="button">
        {words.all}
      </Link>
    </Empty>
  );
}
