import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import type { components } from '../api/schema';
import { user as words } from '../screen-texts/user';
import { texts } from '../texts';
import { Empty } from '../ui/empty';
import { Field } from '../ui/field';
import styles from '../ui/form.module.css';
import { textsOf } from '../ui/form-texts';
import { Loaded } from '../ui/loaded';
import { Badge } from '../ui/status';
import { type Column, Table } from '../ui/table';
import { preferencesQuery } from './queries';
import { whoseChoice } from './whose-choice';

type Preference = components['schemas']['TopicPreference'];
const { preferenceColumns: headers } = words;

const COLUMNS: readonly Column<Preference>[] = [
  {
    header: headers.topic,
    cell: ({ topic_id: id, topic_name: name, section_id: section }) => (
      <>
        <Link to="/preferences/$sectionId/$topicId" params={{ sectionId: section, topicId: id }}>
          {name}
        </Link>{' '}
        <code>{id}</code>
      </>
    ),
  },
  { header: headers.section, cell: ({ section_name: section }) => section },
  { header: headers.status, cell: ({ status }) => <Badge tone={status === 'OPTED_OUT' ? 'bad' : 'good'}>{status}</Badge> },
  { header: headers.whose, cell: (preference) => words.whose[whoseChoice(preference)] },
  {
    header: headers.channels,
    cell: ({ has_custom_routing: isLimited, custom_routing: channels }) => (isLimited ? channels.join(', ') : words.allChannels),
  },
];

/** The effective choice for each topic, and whose it is; also in the context of a tenant. */
export function PreferencesView({ userId, tenant }: { userId: string; tenant?: string }) {
  const query = useQuery(preferencesQuery(userId, tenant));
  const navigate = useNavigate();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = textsOf(new FormData(event.currentTarget));
    void navigate({ to: '.', search: (search) => ({ ...search, tenant: text('tenant') }) });
  };
  return (
    <>
      <form key={tenant} className={`${styles.row} ${styles.line}`} onSubmit={submit}>
        <Field label={words.context}>{() => <input name="tenant" defaultValue={tenant} />}</Field>
        <button type="submit">{texts.apply}</button>
      </form>
      <Loaded query={query}>
        {({ items }) =>
          items.length > 0 ? (
            <Table name={words.tabs.preferences} columns={COLUMNS} rows={items} keyOf={({ topic_id: id }) => id} />
          ) : (
            <Empty title={words.noTopics} hint={words.noTopicsHint} />
          )
        }
      </Loaded>
    </>
  );
}
