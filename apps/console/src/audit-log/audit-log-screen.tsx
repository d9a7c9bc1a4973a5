import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { AuditEvent } from '../api/types';
import { AUDITED_RESOURCES } from '../api/values';
import { auditLog as words } from '../screen-texts/audit-log';
import { texts } from '../texts';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Field } from '../ui/field';
import { FilterChips } from '../ui/filter-chips';
import { FilterForm } from '../ui/filter-form';
import type { FormTexts } from '../ui/form-texts';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { instantOf, localTime } from '../ui/local-time';
import { Paging } from '../ui/paging';
import { Select } from '../ui/select';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import { actorText } from './actor';
import styles from './audit-log.module.css';
import { type AuditFilter, auditEventsQuery } from './queries';
import { TargetLink } from './target-link';

const route = getRouteApi('/audit-log');
const { columns: headers } = words;
const ANYTHING = 'any';

const COLUMNS: readonly Column<AuditEvent>[] = [
  { header: headers.time, cell: ({ timestamp }) => <Time at={Date.parse(timestamp)} /> },
  {
    header: headers.type,
    cell: ({ auditEventId: id, type }) => (
      <Link to="/audit-log/$eventId" params={{ eventId: id }} className={styles.type}>
        {type}
      </Link>
    ),
  },
  {
    header: headers.actor,
    cell: (event) => (
      <Link to="/audit-log" search={{ actor: event.actor.id }}>
        {actorText(event)}
      </Link>
    ),
  },
  { header: headers.target, cell: (event) => <TargetLink event={event} /> },
  { header: headers.changes, cell: ({ changes }) => changes && [...new Set([...changes.before, ...changes.after])].join(', ') },
];

/** Who changed what, the newest first. */
export function AuditLogScreen() {
  const { cursor, ...filter } = route.useSearch();
  const query = useQuery(auditEventsQuery(filter, cursor));
  return (
    <>
      <Heading title={texts.screens.auditLog} />
      <Filters filter={filter} />
      <FilterChips names={words.chips} filter={filter} />
      <Loaded query={query}>
        {({ results, paging }) => (
          <>
            {results.length > 0 ? (
              <Table name={texts.screens.auditLog} columns={COLUMNS} rows={results} keyOf={({ auditEventId: id }) => id} />
            ) : paging.more ? (
              <p>{texts.paging.endsEarly}</p>
            ) : (
              <None isFiltered={Object.keys(filter).length > 0} />
            )}
            <Paging paging={paging} labels={{ first: texts.paging.newest, next: texts.paging.older }} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** What the events are about, who made the change, on what, and when. */
function Filters({ filter }: { filter: AuditFilter }) {
  const navigate = useNavigate();
  const setFilter = (changed: AuditFilter) =>
    void navigate({ to: '/audit-log', search: (search) => ({ ...search, ...changed, cursor: undefined }) });
  const apply = (text: FormTexts) => setFilter({ actor: text('actor'), target: text('target'), before: instantOf(text('before')) });
  const { type = ANYTHING } = filter;
  const isSingle = type !== ANYTHING && !(AUDITED_RESOURCES as readonly string[]).includes(type);
  return (
    <>
      <Select
        label={words.about}
        value={type}
        options={[
          [ANYTHING, words.anything],
          ...(isSingle ? [[type, type] as const] : []),
          ...AUDITED_RESOURCES.map((one) => [one, one] as const),
        ]}
        onChange={(chosen) => setFilter({ type: chosen === ANYTHING ? undefined : chosen })}
      />
      <FilterForm filter={filter} onApply={apply}>
        <Field label={words.filters.actor}>{() => <input name="actor" defaultValue={filter.actor} />}</Field>
        <Field label={words.filters.target}>{() => <input name="target" defaultValue={filter.target} />}</Field>
        <Field label={words.filters.before}>
          {() => <input type="datetime-local" name="before" defaultValue={localTime(filter.before)} />}
        </Field>
      </FilterForm>
    </>
  );
}

function None({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered)
    return <Empty title={words.none} hint={words.noneHint} command={curl('PUT', '/profiles/ada', { profile: { name: 'Ada' } })} />;
  return (
    <Empty title={words.noneFound} hint={words.noneFoundHint}>
      <Link to="/audit-log" className="button">
        {words.all}
      </Link>
    </Empty>
  );
}
