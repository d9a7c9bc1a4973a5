import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SeriesPoint } from '../api/types';
import { count, duration } from '../format';
import { FAILURES, NewestFailures } from '../messages/newest-failures';
import { IllProviders } from '../providers/ill-providers';
import { overview as words } from '../screen-texts/overview';
import { texts } from '../texts';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { Views } from '../ui/views';
import { Chart, type Line } from './chart';
import styles from './overview.module.css';
import { backlogQuery, isRange, type Range, RANGES, seriesQuery, stepMinutes } from './queries';

const route = getRouteApi('/overview');
/** The backlog is counted up to here. */
const WAITING_MAX = 10_000;

const THROUGHPUT: readonly Line[] = [
  { name: words.accepted, colour: '--accent', valueOf: ({ accepted }) => accepted },
  { name: words.delivered, colour: '--good', valueOf: ({ delivered }) => delivered, dash: [6, 3] },
  { name: words.failed, colour: '--bad', valueOf: ({ failed }) => failed, dash: [2, 3] },
];
const LATENCY: readonly Line[] = [
  { name: words.p50, colour: '--accent', valueOf: ({ latency_p50_ms: p50 }) => p50 ?? null },
  { name: words.p99, colour: '--pending', valueOf: ({ latency_p99_ms: p99 }) => p99 ?? null, dash: [6, 3] },
];

/** How much is sent, how fast, what waits and what fails. Each figure leads to its messages. */
export function OverviewScreen() {
  const { range: named } = route.useSearch();
  const range: Range = isRange(named) ? named : '1h';
  const series = useQuery(seriesQuery(range));
  return (
    <>
      <Heading title={texts.screens.overview} />
      <Views
        name={words.range}
        field="range"
        current={range}
        views={Object.keys(RANGES).map((one) => [one as Range, words.ranges[one as Range]] as const)}
      />
      <Loaded query={series}>
        {(points) => (
          <>
            <Figures points={points} range={range} />
            <div className={styles.plots}>
              <Section title={words.perStep(stepMinutes(range))}>
                <Chart name={words.throughput} points={points} lines={THROUGHPUT} format={count} />
              </Section>
              <Section title={words.latency}>
                <Chart name={words.latency} points={points} lines={LATENCY} format={duration} />
              </Section>
            </div>
          </>
        )}
      </Loaded>
      <IllProviders />
      <NewestFailures />
    </>
  );
}

function Figures({ points, range }: { points: readonly SeriesPoint[]; range: Range }) {
  const sum = (valueOf: (point: SeriesPoint) => number) => count(points.reduce((total, point) => total + valueOf(point), 0));
  const after = String(Date.now() - RANGES[range] * 60_000);
  const { data: backlog } = useQuery(backlogQuery);
  return (
    <dl className={styles.figures}>
      <Figure name={words.accepted}>
        <Link to="/messages" search={{ enqueued_after: after }}>
          {sum(({ accepted }) => accepted)}
        </Link>
      </Figure>
      <Figure name={words.delivered}>
        <Link to="/messages" search={{ enqueued_after: after, status: 'DELIVERED,OPENED,CLICKED' }}>
          {sum(({ delivered }) => delivered)}
        </Link>
      </Figure>
      <Figure name={words.failed}>
        <Link to="/messages" search={{ enqueued_after: after, status: FAILURES }}>
          {sum(({ failed }) => failed)}
        </Link>
      </Figure>
      <Figure name={words.waiting}>
        <Link to="/messages" search={{ status: 'ENQUEUED,ROUTED' }}>
          {backlog === undefined ? '…' : backlog.waiting >= WAITING_MAX ? words.waitingMany : count(backlog.waiting)}
        </Link>
      </Figure>
      <Figure name={words.oldest}>{backlog?.oldest_at ? duration(Date.now() - backlog.oldest_at) : words.nothingWaits}</Figure>
    </dl>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="number">{children}</dd>
    </div>
  );
}
