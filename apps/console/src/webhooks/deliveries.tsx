import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMissingScope } from '../api/session';
import type { WebhookDelivery } from '../api/types';
import { count, duration } from '../format';
import { webhooks as words } from '../screen-texts/webhooks';
import { texts } from '../texts';
import { Action } from '../ui/action';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { FilterChips } from '../ui/filter-chips';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { Problem } from '../ui/problem';
import { Section } from '../ui/section';
import { Select } from '../ui/select';
import { Badge, Status } from '../ui/status';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import { deliveriesQuery, deliveryQuery, retryDelivery } from './queries';
import { RetryFailedDialog } from './retry-failed-dialog';
import styles from './webhooks.module.css';

const { deliveryColumns: headers } = words;
const ANY = 'any';
const TONES = { pending: 'pending', delivered: 'good', failed: 'bad' } as const;

interface DeliveriesProps {
  id: string;
  /** Of the address: the filters, one delivery, the page. */
  result?: string;
  message?: string;
  delivery?: string;
  cursor?: string;
}

/** The log of a webhook, the newest event first: what became of each, and once more. */
export function Deliveries({ id, result, message, delivery, cursor }: DeliveriesProps) {
  const navigate = useNavigate();
  const missing = useMissingScope('write:webhooks');
  const [isRetrying, setIsRetrying] = useState(false);
  const search = (changed: object) => ({ result, message, ...changed });
  return (
    <Section title={words.deliveries} actions={<Action name={words.retryFailed} missing={missing} onPress={() => setIsRetrying(true)} />}>
      <div className={styles.controls}>
        <Select
          label={words.result}
          value={result ?? ANY}
          options={[[ANY, words.anyResult], ...Object.entries(words.results)]}
          onChange={(chosen) =>
            void navigate({ to: '/webhooks/$id', params: { id }, search: search({ result: chosen === ANY ? undefined : chosen }) })
          }
        />
        <FilterChips names={words.chips} filter={{ message, delivery }} />
      </div>
      {delivery === undefined ? <Log id={id} result={result} message={message} cursor={cursor} /> : <One id={id} deliveryId={delivery} />}
      {isRetrying && <RetryFailedDialog id={id} onClose={() => setIsRetrying(false)} />}
    </Section>
  );
}

function Log({ id, result, message, cursor }: DeliveriesProps) {
  const query = useQuery(deliveriesQuery(id, { result, message_id: message }, cursor));
  return (
    <Loaded query={query}>
      {({ results, paging }) => (
        <>
          {results.length > 0 ? (
            <DeliveryTable id={id} deliveries={results} />
          ) : (
            <None id={id} isFiltered={result !== undefined || message !== undefined} />
          )}
          <Paging paging={paging} labels={{ first: texts.paging.newest, next: texts.paging.older }} />
        </>
      )}
    </Loaded>
  );
}

function One({ id, deliveryId }: { id: string; deliveryId: string }) {
  const query = useQuery(deliveryQuery(id, deliveryId));
  return <Loaded query={query}>{(delivery) => <DeliveryTable id={id} deliveries={[delivery]} />}</Loaded>;
}

function DeliveryTable({ id, deliveries }: { id: string; deliveries: readonly WebhookDelivery[] }) {
  const missing = useMissingScope('write:webhooks');
  const retry = useMutation({ mutationFn: (delivery: WebhookDelivery) => retryDelivery(id, delivery.id) });
  const columns: readonly Column<WebhookDelivery>[] = [
    {
      header: headers.time,
      cell: ({ id: deliveryId, created }) => (
        <Link to="/webhooks/$id" params={{ id }} search={{ delivery: deliveryId }}>
          <Time at={created} />
        </Link>
      ),
    },
    {
      header: headers.message,
      cell: ({ message_id: messageId }) => (
        <Link to="/messages/$messageId" params={{ messageId }} className={styles.id}>
          {messageId}
        </Link>
      ),
    },
    { header: headers.status, cell: ({ status }) => <Status value={status} /> },
    { header: headers.result, cell: (delivery) => <Result delivery={delivery} /> },
    { header: headers.attempts, cell: ({ attempts }) => count(attempts), isNumber: true },
    {
      header: headers.answer,
      cell: ({ code, duration_ms: ms, error }) => [code, typeof ms === 'number' && duration(ms), error].filter(Boolean).join(', '),
    },
    {
      header: headers.retry,
      cell: (delivery) => (
        <Action
          name={words.retry}
          label={words.retryOf(delivery.status, delivery.message_id)}
          missing={missing}
          isOff={retry.isPending}
          onPress={() => retry.mutate(delivery)}
        />
      ),
    },
  ];
  return (
    <>
      <p role="status">{retry.isSuccess && words.retried}</p>
      {retry.error && <Problem error={retry.error} title={texts.problems.failed} />}
      <Table name={words.deliveries} columns={columns} rows={deliveries} keyOf={({ id: deliveryId }) => deliveryId} />
    </>
  );
}

/** What became of a delivery; while it is pending, when the next attempt is due. */
function Result({ delivery: { result, next_attempt: next } }: { delivery: WebhookDelivery }) {
  return (
    <>
      <Badge tone={TONES[result]}>{words.results[result]}</Badge>{' '}
      {next && (
        <span>
          {words.nextAttempt} <Time at={next} />
        </span>
      )}
    </>
  );
}

function None({ id, isFiltered }: { id: string; isFiltered: boolean }) {
  if (!isFiltered) {
    const message = { to: { email: 'ada@example.com' }, content: { title: 'Hello', body: 'It works' } };
    return <Empty title={words.noDeliveries} hint={words.noDeliveriesHint} command={curl('POST', '/send', { message })} />;
  }
  return (
    <Empty title={words.noneMatch} hint={words.noneMatchHint}>
      <Link to="/webhooks/$id" params={{ id }} className="button">
        {words.allDeliveries}
      </Link>
    </Empty>
  );
}
