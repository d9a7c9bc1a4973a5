import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { TemplateVersion } from '../api/types';
import { templates as words } from '../screen-texts/templates';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { Section } from '../ui/section';
import { Badge } from '../ui/status';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import { versionsQuery } from './queries';
import { nameOfVersion } from './version-names';

const route = getRouteApi('/templates/$templateId');
const { versionColumns: headers } = words;

const COLUMNS: readonly Column<TemplateVersion>[] = [
  { header: headers.version, cell: ({ version }) => <VersionLink name={nameOfVersion(version)} /> },
  {
    header: headers.state,
    cell: ({ version, has_changes: differs }) => {
      if (version.startsWith('published:')) return <Badge tone="good">{words.published}</Badge>;
      return differs === undefined || differs === null ? '' : differs ? words.draftDiffers : words.draftSame;
    },
  },
  { header: headers.created, cell: ({ created }) => <Time at={created} /> },
  { header: headers.by, cell: ({ creator }) => creator },
  { header: headers.compare, cell: ({ version }) => <CompareLink name={nameOfVersion(version)} /> },
];

/** Leads to the differences between this version and the one that is shown. */
function CompareLink({ name }: { name: string }) {
  const { version, against } = route.useSearch();
  if (name === version) return null;
  return (
    <Link
      to="."
      resetScroll={false}
      search={(search: object) => ({ ...search, against: name })}
      aria-current={against === name ? 'true' : undefined}
    >
      {words.compare}
    </Link>
  );
}

function VersionLink({ name }: { name: string }) {
  const { version } = route.useSearch();
  return (
    <Link
      to="."
      resetScroll={false}
      search={(search: object) => ({ ...search, version: name })}
      aria-current={version === name ? 'true' : undefined}
    >
      {name}
    </Link>
  );
}

/** The versions of a template, the draft first; each leads to its preview. */
export function Versions({ templateId }: { templateId: string }) {
  const { cursor } = route.useSearch();
  const query = useQuery(versionsQuery(templateId, cursor));
  return (
    <Section title={words.versions}>
      <Loaded query={query}>
        {({ versions, paging }) => (
          <>
            <Table name={words.versions} columns={COLUMNS} rows={versions} keyOf={({ version }) => version} />
            <Paging paging={paging} />
          </>
        )}
      </Loaded>
    </Section>
  );
}
