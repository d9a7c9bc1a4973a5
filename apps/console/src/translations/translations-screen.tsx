import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { TranslationSummary } from '../api/types';
import { translations as words } from '../screen-texts/translations';
import { texts } from '../texts';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Heading } from '../ui/heading';
import { LineForm } from '../ui/line-form';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { Section } from '../ui/section';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import { translationsQuery } from './queries';

const route = getRouteApi('/translations');
const { columns: headers } = words;
const DOMAIN = 'default';

const COLUMNS: readonly Column<TranslationSummary>[] = [
  {
    header: headers.locale,
    cell: ({ domain, locale }) => (
      <Link to="/translations/$domain/$locale" params={{ domain, locale }}>
        {locale}
      </Link>
    ),
  },
  { header: headers.domain, cell: ({ domain }) => domain },
  { header: headers.size, cell: ({ bytes }) => words.bytes(bytes), isNumber: true },
  { header: headers.changed, cell: ({ updated }) => <Time at={Date.parse(updated)} /> },
];

/** The languages that have translations. */
export function TranslationsScreen() {
  const { cursor } = route.useSearch();
  const query = useQuery(translationsQuery(cursor));
  return (
    <>
      <Heading title={texts.screens.translations} />
      <Loaded query={query}>
        {({ results, paging }) => (
          <>
            {results.length > 0 ? (
              <Table
                name={texts.screens.translations}
                columns={COLUMNS}
                rows={results}
                keyOf={({ domain, locale }) => `${domain} ${locale}`}
              />
            ) : (
              <None />
            )}
            <Paging paging={paging} />
          </>
        )}
      </Loaded>
      <Add />
    </>
  );
}

function None() {
  const command = curl('PUT', `/translations/${DOMAIN}/fr_FR`, 'msgid "Hello"\nmsgstr "Bonjour"\n');
  return <Empty title={words.none} hint={words.noneHint} command={command} />;
}

/** Leads to the page of a language, which need not have translations yet. */
function Add() {
  const navigate = useNavigate();
  const open = (locale: string) => navigate({ to: '/translations/$domain/$locale', params: { domain: DOMAIN, locale } });
  return (
    <Section title={words.add}>
      <LineForm label={words.locale} submit={words.open} scope="read:translations" onSubmit={open} />
    </Section>
  );
}
