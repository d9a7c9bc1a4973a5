import { Link } from '@tanstack/react-router';
import { messages as words } from '../screen-texts/messages';
import { texts } from '../texts';
import { type Column, Table } from '../ui/table';
import { Status } from '../ui/status';
import { Time } from '../ui/time';
import type { Message } from '../api/types';
import { RecipientLink } from './recipient-link';
import styles from './messages.module.css';

const { columns: headers } = words;

function RecipientCell({ recipient }: { recipient: string }) {
  return (
    <div className={styles.recipient}>
      <RecipientLink recipient={recipient} />
    </div>
  );
}

/** Values of a message's routes, each once. */
function ofRoutes({ providers }: Message, valueOf: (route: NonNullable<Message['providers']>[number]) => unknown): string {
  const values = (providers ?? []).map(valueOf).filter((value) => typeof value === 'string' && value !== '');
  return [...new Set(values)].join(', ');
}

const COLUMNS: readonly Column<Message>[] = [
  { header: headers.time, cell: ({ enqueued }) => <Time at={enqueued} /> },
  {
    header: headers.id,
    cell: ({ id }) => (
      <Link to="/messages/$messageId" params={{ messageId: id }} className={styles.id}>
        {id}
      </Link>
    ),
  },
  { header: headers.status, cell: ({ status }) => <Status value={status} /> },
  { header: headers.recipient, cell: ({ recipient }) => <RecipientCell recipient={recipient} /> },
  {
    header: headers.template,
    cell: ({ notification, event }) =>
      notification ? (
        <Link to="/messages" search={{ notification }}>
          {notification}
        </Link>
      ) : (
        event
      ),
  },
  { header: headers.channel, cell: (message) => ofRoutes(message, ({ channel }) => channel.key) },
  { header: headers.provider, cell: (message) => ofRoutes(message, ({ alias, provider }) => alias ?? provider) },
  { header: headers.reason, cell: ({ reason, error }) => error ?? (reason && (texts.reasons[reason] ?? reason)) },
];

/** Messages, each with a link to its page. */
export function MessageTable({ name = texts.screens.messages, messages }: { name?: string; messages: readonly Message[] }) {
  return <Table name={name} columns={COLUMNS} rows={messages} keyOf={({ id }) => id} />;
}
