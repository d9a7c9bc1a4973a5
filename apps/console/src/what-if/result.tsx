import { getRouteApi, Link } from '@tanstack/react-router';
import type { DryRun, DryRunRecipient } from '../api/types';
import { Decisions, Remedies } from '../message/explain';
import { RecipientLink } from '../messages/recipient-link';
import { whatIf as words } from '../screen-texts/what-if';
import { PreviewChannels } from '../templates/preview-channels';
import { Facts } from '../ui/facts';
import { Section } from '../ui/section';
import { Badge, type Tone } from '../ui/status';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import { Warnings } from '../ui/warnings';
import styles from './what-if.module.css';

const route = getRouteApi('/what-if');
const { columns: headers, routeColumns: routeHeaders } = words;
const TONES: Readonly<Record<DryRunRecipient['outcome'], Tone>> = { sent: 'good', delayed: 'pending', not_sent: 'bad' };

type Row = DryRunRecipient & { position: number };

const COLUMNS: readonly Column<Row>[] = [
  { header: headers.recipient, cell: (row) => <Choice row={row} /> },
  { header: headers.outcome, cell: ({ outcome }) => <Badge tone={TONES[outcome]}>{words.outcomes[outcome]}</Badge> },
  { header: headers.sentence, cell: ({ sentence }) => sentence },
];

const ROUTE_COLUMNS: readonly Column<DryRunRecipient['routes'][number]>[] = [
  { header: routeHeaders.channel, cell: ({ channel }) => channel },
  {
    header: routeHeaders.provider,
    cell: ({ provider, configuration_id: id }) => (
      <Link to="/providers/$id" params={{ id }}>
        {provider}
      </Link>
    ),
  },
  { header: routeHeaders.use, cell: ({ use }) => words.uses[use] },
];

/** The recipients of a dry run, of whom the address names one; what would happen to that one. */
export function Result({ result: { results, more, error } }: { result: DryRun }) {
  const { recipient } = route.useSearch();
  const rows = results.map((one, index) => ({ ...one, position: index + 1 }));
  const shown = rows.find(({ position }) => String(position) === recipient) ?? rows[0];
  if (!shown)
    return (
      <p>
        <strong>{words.noRecipients}</strong>: {error}
      </p>
    );
  return (
    <>
      {more && <p className="quiet">{words.more}</p>}
      <Table name={words.recipients} columns={COLUMNS} rows={rows} keyOf={({ position }) => position} />
      <Recipient key={shown.position} one={shown} />
    </>
  );
}

function Choice({ row: { position, recipient } }: { row: Row }) {
  const chosen = route.useSearch().recipient ?? '1';
  return (
    <Link
      to="."
      replace
      resetScroll={false}
      search={(search: object) => ({ ...search, recipient: String(position) })}
      aria-current={chosen === String(position) ? 'true' : undefined}
    >
      {recipient}
    </Link>
  );
}

function Recipient({ one }: { one: DryRunRecipient }) {
  const { recipient, user_id: userId, tenant_id: tenantId, timing, sentence, decisions, remedies, routes, contents, warnings } = one;
  return (
    <Section title={words.of(recipient)}>
      <p className={styles.sentence}>{sentence}</p>
      <Facts
        facts={[
          [words.user, userId && <RecipientLink recipient={userId} />],
          [words.tenant, tenantId],
          [words.sendAt, one.outcome !== 'not_sent' && <Time at={timing.send_at} />],
          [words.retriedUntil, timing.retried_until && <Time at={timing.retried_until} />],
          [words.escalatesAt, timing.escalates_at && <Time at={timing.escalates_at} />],
        ]}
      />
      <Warnings warnings={warnings} />
      {remedies.length > 0 && <Remedies remedies={remedies} />}
      <Decisions decisions={decisions} />
      {routes.length > 0 && (
        <div>
          <h3>{words.routes}</h3>
          <Table
            name={words.routes}
            columns={ROUTE_COLUMNS}
            rows={routes}
            keyOf={({ channel, configuration_id: id }) => `${channel} ${id}`}
          />
        </div>
      )}
      {contents.length > 0 && (
        <div>
          <h3>{words.content}</h3>
          <PreviewChannels preview={{ results: contents.map(shownOutput), errors: [] }} />
        </div>
      )}
    </Section>
  );
}

function shownOutput({ channel, provider, ...output }: DryRunRecipient['contents'][number]) {
  return { ...output, channel: `${channel} · ${provider}`, channel_id: channel };
}
