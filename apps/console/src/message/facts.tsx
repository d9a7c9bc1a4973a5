import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Message } from '../api/types';
import { RecipientLink } from '../messages/recipient-link';
import { message as words } from '../screen-texts/message';
import { Facts as FactList } from '../ui/facts';
import { Time } from '../ui/time';
import styles from './message.module.css';

const { facts: names } = words;

/** What a message was sent with; each value leads to its page, and to the other messages that have it. */
export function Facts({ message }: { message: Message }) {
  const { recipient, enqueued, notification, event, tags, listId, listMessageId, jobId, idempotencyKey } = message;
  const facts: [string, ReactNode][] = [
    [names.recipient, recipient && <RecipientLink recipient={recipient} />],
    [names.accepted, <Time at={enqueued} />],
    [
      names.template,
      notification && (
        <>
          <Link to="/templates/$templateId" params={{ templateId: notification }}>
            {notification}
          </Link>
          {': '}
          <Link to="/messages" search={{ notification }}>
            {words.others}
          </Link>
        </>
      ),
    ],
    [
      names.event,
      event && event !== notification && (
        <Link to="/messages" search={{ event }}>
          {event}
        </Link>
      ),
    ],
    [
      names.tags,
      tags?.map((tag) => (
        <Link key={tag} className={styles.tag} to="/messages" search={{ tags: tag }}>
          {tag}
        </Link>
      )),
    ],
    [
      names.list,
      listId && (
        <>
          <Link to="/lists/$listId" params={{ listId }}>
            {listId}
          </Link>
          {': '}
          <Link to="/messages" search={{ list: listId }}>
            {words.others}
          </Link>
        </>
      ),
    ],
    [names.request, listMessageId && <Link to="/messages" search={{ traceId: listMessageId }}>{`${listMessageId}: ${words.others}`}</Link>],
    [
      names.job,
      jobId && (
        <Link to="/bulk-jobs/$jobId" params={{ jobId }}>
          {jobId}
        </Link>
      ),
    ],
    [names.key, idempotencyKey],
  ];
  return <FactList facts={facts} />;
}
