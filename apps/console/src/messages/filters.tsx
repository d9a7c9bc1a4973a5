import { useNavigate } from '@tanstack/react-router';
import { messages as words } from '../screen-texts/messages';
import { Field } from '../ui/field';
import { FilterForm } from '../ui/filter-form';
import styles from '../ui/form.module.css';
import type { FormTexts } from '../ui/form-texts';
import { instantOf, localTime } from '../ui/local-time';
import { Select } from '../ui/select';
import type { MessageFilter, FilterName } from './message-filter';

const TEXT_FIELDS: readonly FilterName[] = ['provider', 'notification', 'event', 'tags', 'list', 'tenant_id', 'traceId', 'recipient'];
/** The statuses in the order of a message's life; that of `texts.statusHints` is alphabetical. */
const STATUSES = [
  ...['ENQUEUED', 'DELAYED', 'DIGESTED', 'ROUTED', 'SENT', 'DELIVERED', 'OPENED', 'CLICKED', 'SIMULATED'],
  ...['UNDELIVERABLE', 'UNROUTABLE', 'UNMAPPED', 'FILTERED', 'THROTTLED', 'CANCELED'],
];
const ANY = 'any';

/** The first page with other filters. */
function useFilter() {
  const navigate = useNavigate();
  return (changed: MessageFilter) =>
    void navigate({ to: '/messages', search: (search) => ({ ...search, ...changed, cursor: undefined, since: undefined }) });
}

/** The status to which the list is limited; an address may name several. */
export function StatusFilter({ status }: { status?: string }) {
  const setFilter = useFilter();
  const several = status !== undefined && !STATUSES.includes(status) ? [[status, status.replaceAll(',', ', ')] as const] : [];
  return (
    <Select
      label={words.status}
      value={status ?? ANY}
      options={[[ANY, words.anyStatus], ...several, ...STATUSES.map((one) => [one, one] as const)]}
      onChange={(chosen) => setFilter({ status: chosen === ANY ? undefined : chosen })}
    />
  );
}

/** The other filters. They count when they are applied. */
export function MoreFilters({ filter }: { filter: MessageFilter }) {
  const setFilter = useFilter();
  const apply = (text: FormTexts) =>
    setFilter({
      ...Object.fromEntries(TEXT_FIELDS.map((name) => [name, text(name)])),
      enqueued_after: instantOf(text('enqueued_after')),
      archived: text('archived') && 'true',
    });
  return (
    <FilterForm filter={filter} onApply={apply}>
      {TEXT_FIELDS.map((name) => (
        <Field key={name} label={words.filters[name]}>
          {() => <input name={name} defaultValue={filter[name]} />}
        </Field>
      ))}
      <Field label={words.filters.enqueued_after}>
        {() => <input type="datetime-local" name="enqueued_after" defaultValue={localTime(filter.enqueued_after)} />}
      </Field>
      <label className={styles.check}>
        <input type="checkbox" name="archived" defaultChecked={filter.archived === 'true'} /> {words.filters.archived}
      </label>
    </FilterForm>
  );
}
