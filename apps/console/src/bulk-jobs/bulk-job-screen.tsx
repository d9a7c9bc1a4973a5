import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { BulkJobProgress } from '../api/types';
import { count, duration } from '../format';
import { bulkJobs as words } from '../screen-texts/bulk-jobs';
import { texts } from '../texts';
import { ActionBar } from '../ui/action';
import { curl } from '../ui/curl';
import { Facts } from '../ui/facts';
import { Heading } from '../ui/heading';
import { Json } from '../ui/json';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import styles from './bulk-jobs.module.css';
import { JobStatus } from './job-status';
import { JobUsers } from './job-users';
import { definitionQuery, progressQuery } from './queries';

const route = getRouteApi('/bulk-jobs/$jobId');
/** The statuses of messages that reached no one. */
const FAILED = 'UNDELIVERABLE,UNROUTABLE,UNMAPPED';
/** Failures whose reasons are counted. */
const REASONS_COUNTED_MAX = 1_000;

type Reason = BulkJobProgress['reasons'][number];
const REASON_COLUMNS: readonly Column<Reason>[] = [
  { header: words.reasonColumns.error, cell: ({ error }) => error },
  { header: words.reasonColumns.count, cell: ({ count: users }) => count(users), isNumber: true },
];

/** A bulk job, live: how far it is, why users failed, and its users with their messages. */
export function BulkJobScreen() {
  const { jobId } = route.useParams();
  const query = useQuery(progressQuery(jobId));
  return (
    <>
      <Heading title={jobId} />
      <Loaded query={query}>
        {(job) => (
          <>
            <Actions jobId={jobId} />
            <Progress job={job} />
            <Reasons job={job} />
            <JobUsers job={job} />
            <Definition jobId={jobId} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Actions({ jobId }: { jobId: string }) {
  return (
    <ActionBar>
      <Link to="/messages" search={{ traceId: jobId }} className="button">
        {words.messages}
      </Link>
      <Link to="/messages" search={{ traceId: jobId, status: FAILED }} className="button">
        {words.failedMessages}
      </Link>
    </ActionBar>
  );
}

function Progress({ job }: { job: BulkJobProgress }) {
  const { id, status, template, received, enqueued, failures, created, run, per_minute: rate, time_left_ms: left } = job;
  const done = enqueued + failures;
  return (
    <Section title={words.progress}>
      <p className={styles.progress}>
        <progress aria-label={words.progress} value={done} max={Math.max(received, 1)} />
        <span className="number">{words.done(done, received)}</span>
        {received > 0 && <span className="number">{words.percent(done / received)}</span>}
      </p>
      <Facts
        facts={[
          [words.facts.status, <JobStatus status={status} />],
          [words.facts.template, template],
          [words.facts.messages, count(enqueued)],
          [words.facts.failures, count(failures)],
          [words.facts.rate, typeof rate === 'number' && words.perMinute(rate)],
          [words.facts.left, typeof left === 'number' && duration(left)],
          [words.facts.created, <Time at={created} />],
          [words.facts.run, typeof run === 'number' && <Time at={run} />],
        ]}
      />
      {status === 'CREATED' && (
        <>
          <p>{words.notRun}</p>
          <pre tabIndex={0}>{curl('POST', `/bulk/${id}/run`)}</pre>
        </>
      )}
    </Section>
  );
}

function Reasons({ job: { reasons, failures } }: { job: BulkJobProgress }) {
  return (
    <Section title={words.reasons}>
      {reasons.length > 0 ? (
        <Table name={words.reasons} columns={REASON_COLUMNS} rows={reasons} keyOf={({ error }) => error} />
      ) : (
        <p className="quiet">{words.noReasons}</p>
      )}
      {failures > REASONS_COUNTED_MAX && <p className="quiet">{words.reasonsOf(REASONS_COUNTED_MAX)}</p>}
    </Section>
  );
}

function Definition({ jobId }: { jobId: string }) {
  const query = useQuery(definitionQuery(jobId));
  return (
    <Section title={words.definition}>
      <details>
        <summary>{texts.json}</summary>
        <Loaded query={query}>{(definition) => <Json value={definition} name={words.definition} />}</Loaded>
      </details>
    </Section>
  );
}
