import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { messages as words } from '../screen-texts/messages';
import { texts } from '../texts';
import { localTime } from '../ui/local-time';
import { Select } from '../ui/select';
import type { MessageFilter, FilterName } from './message-filter';
import styles from './messages.module.css';

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
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => (form.get(name) as string | null)?.trim() || undefined;
    const after = text('enqueued_after');
    setFilter({
      ...Object.fromEntries(TEXT_FIELDS.map((name) => [name, text(name)])),
      enqueued_after: after && new Date(after).toISOString(),
      archived: form.has('archived') ? 'true' : undefined,
    });
  };
  return (
    <details>
      <summary>{words.moreFilters}</summary>
      <form key={JSON.stringify(filter)} className={styles.fields} onSubmit={submit}>
        {TEXT_FIELDS.map((name) => (
          <label key={name}>
            {words.filters[name]}
            <input name={name} defaultValue={filter[name]} />
          </label>
        ))}
        <label>
          {words.filters.enqueued_after}
          <input type="datetime-local" name="enqueued_after" defaultValue={localTime(filter.enqueued_after)} />
        </label>
        <label className={styles.check}>
          <input type="checkbox" name="archived" defaultChecked={filter.archived === 'true'} /> {words.filters.archived}
        </label>
        <button type="submit" className="primary">
          {texts.apply}
        </button>
      </form>
    </details>
  );
}
