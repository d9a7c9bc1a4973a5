import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '@tidings/testing/wait-until';
import { FaultFixture } from '../testing/fault-fixture';
import { type Read, ReadLoad } from '../testing/read-load';
import { report } from '../testing/report';
import { withTeardown } from '../testing/tear-down';

const FROZEN_MS = 14_000;
/** Time of further reads after the recovery. */
const WATCHED_MS = 120_000;
const GOOD_IN_A_ROW = 10;
const RECOVERY_MS_MAX = 60_000;

/** A resource of each service. The first is read continuously, the others so rarely that cached state of their services expires. */
const READS = [
  { path: '/lists', everyMs: 50 },
  { path: '/profiles/ada', everyMs: 9_500 },
  { path: '/brands', everyMs: 14_500 },
  { path: '/messages', everyMs: 19_500 },
];

it('no read fails in the two minutes after the recovery from a broker frozen for 14 s', () =>
  withTeardown(async (teardown) => {
    const fixture = await FaultFixture.start(1);
    teardown.add('the product', () => fixture.end());
    const { system, kafka } = fixture;
    const loads = READS.map(({ path, everyMs }) => ({ path, everyMs, load: new ReadLoad(system.client, path) }));
    const stop = new AbortController();
    const isGood = ({ status }: Read): boolean => status === 200;
    const isReady = async (): Promise<boolean> => (await fetch(`${system.url}/health/ready`)).ok;
    for (const { path } of READS) {
      await waitUntil(async () => (await system.client.get(path)).status === 200, { what: `GET ${path} before the fault` });
    }

    const loaded = Promise.all(loads.map(({ load, everyMs }) => load.trickle(everyMs, stop.signal)));
    let recoveredAt: number;
    try {
      await kafka.freeze(1);
      // Every service gets a request while none can answer.
      const frozenReads = Promise.all(READS.map(({ path }) => system.client.get(path).catch(() => undefined)));
      await delay(FROZEN_MS);
      await kafka.thaw(1);
      await frozenReads;
      const thawedAt = performance.now();
      const steady = loads[0]!.load.reads;
      const hasRecovered = (): boolean => {
        const last = steady.slice(-GOOD_IN_A_ROW);
        return last.every((read) => isGood(read) && read.startedAt > thawedAt);
      };
      await waitUntil(async () => hasRecovered() && (await isReady()), {
        what: 'reads that succeed, and readiness',
        timeoutMs: RECOVERY_MS_MAX,
      });
      recoveredAt = performance.now();
      report(`thawed: recovered after ${Math.round(recoveredAt - thawedAt)} ms`);
      await delay(WATCHED_MS);
    } finally {
      stop.abort();
      await loaded;
    }

    const watched = loads.flatMap(({ path, load }) =>
      load.reads
        .filter(({ startedAt }) => startedAt > recoveredAt)
        .map((read) => ({ ...read, path, atMs: Math.round(read.startedAt - recoveredAt) })),
    );
    const failed = watched.filter((read) => !isGood(read));
    report(`thawed: ${watched.length} reads in ${WATCHED_MS / 1000} s, of which ${failed.length} failed: ${JSON.stringify(failed)}`);
    expect(loads.map(({ path }) => watched.some((read) => read.path === path))).toEqual(READS.map(() => true));
    expect(failed).toEqual([]);
  }));
