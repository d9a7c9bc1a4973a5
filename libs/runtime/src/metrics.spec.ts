import { counter, gauge, histogram } from './metric-definition';
import { Metrics } from './metrics';

const LANES = { lane: ['critical', 'bulk'] } as const;

describe('the metrics of a process', () => {
  let metrics: Metrics;

  beforeEach(() => {
    metrics = new Metrics();
  });

  /** Values by series, without help and buckets. */
  async function samples() {
    const lines = (await metrics.registry.metrics()).split('\n').filter((line) => line && !/^#|_bucket/.test(line));
    return Object.fromEntries(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]));
  }

  it('show every series of known labels with 0 before anything happened', async () => {
    metrics.show(counter('tidings_a_total', { help: 'A', labels: LANES, processes: [] }));
    metrics.show(gauge('tidings_b', { help: 'B', labels: LANES, combine: 'max', processes: [] }));
    metrics.show(histogram('tidings_c_seconds', { help: 'C', buckets: [1], processes: [] }));

    expect(await samples()).toEqual({
      'tidings_a_total{lane="critical"}': 0,
      'tidings_a_total{lane="bulk"}': 0,
      'tidings_b{lane="critical"}': 0,
      'tidings_b{lane="bulk"}': 0,
      tidings_c_seconds_sum: 0,
      tidings_c_seconds_count: 0,
    });
  });

  it('count on where a series is announced again', async () => {
    const definition = histogram('tidings_c_seconds', { help: 'C', labels: { queue: 'a queue' }, buckets: [1], processes: [] });
    metrics.announce(definition, { queue: 'a' });
    metrics.histogram(definition).observe({ queue: 'a' }, 0.5);
    metrics.announce(definition, { queue: 'a' });

    expect(await samples()).toMatchObject({ 'tidings_c_seconds_count{queue="a"}': 1 });
  });

  it('combine the sources of a gauge, until a source is removed', async () => {
    const summed = gauge('tidings_sum', { help: 'S', combine: 'sum', processes: [] });
    const highest = gauge('tidings_max', { help: 'M', combine: 'max', processes: [] });
    metrics.readValue(summed, () => 2);
    metrics.readValue(highest, () => 2);
    const ends = [metrics.readValue(summed, () => 3), metrics.readValue(highest, () => Promise.resolve(3))];

    expect(await samples()).toEqual({ tidings_sum: 5, tidings_max: 3 });
    for (const end of ends) end();
    expect(await samples()).toEqual({ tidings_sum: 2, tidings_max: 2 });
  });

  it('read a source at most once in its interval, and show its last value while it cannot be read', async () => {
    const definition = gauge('tidings_read', { help: 'R', combine: 'max', processes: [] });
    let reads = 0;
    metrics.readValue(definition, () => (reads += 1), 60_000);
    const failing = gauge('tidings_failing', { help: 'F', combine: 'max', processes: [] });
    let isUnavailable = false;
    metrics.readValue(failing, () => (isUnavailable ? Promise.reject(new Error('unavailable')) : 7));
    await samples();
    isUnavailable = true;

    expect(await samples()).toEqual({ tidings_read: 1, tidings_failing: 7 });
  });

  it('do not wait for a source that does not answer', async () => {
    metrics.readValue(gauge('tidings_silent', { help: 'S', combine: 'max', processes: [] }), () => new Promise(() => undefined));

    expect(await samples()).toEqual({ tidings_silent: 0 });
  });
});
