import { HealthRegistry } from './health';
import { type ManagementServer, startManagementServer } from './management';
import { counter } from './metric-definition';
import { Metrics } from './metrics';

/** Probes within this time share one report. */
const ANSWER_AGE_MS_MAX = 500;

describe('health and metrics over HTTP', () => {
  let server: ManagementServer;
  let health: HealthRegistry;
  let metrics: Metrics;

  beforeEach(async () => {
    health = new HealthRegistry();
    metrics = new Metrics();
    server = await startManagementServer({ port: 0, health, metrics });
  });

  afterEach(() => {
    jest.restoreAllMocks();
    return server.close();
  });

  const get = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${server.port}${path}`, init);

  async function readiness(): Promise<unknown> {
    const response = await get('/health/ready');
    return { http: response.status, ...((await response.json()) as object) };
  }

  it('is ready when every check passes', async () => {
    health.register('database', async () => {});

    expect(await readiness()).toEqual({ http: 200, status: 'ok', checks: { database: 'ok' } });
  });

  it('names the part that is not ready and the reason, without secrets', async () => {
    health.register('database', async () => {
      throw new Error('no route to postgres://ada:hunter2@db/x');
    });
    health.register('events', async () => {});

    expect(await readiness()).toEqual({
      http: 503,
      status: 'unavailable',
      checks: { database: 'no route to postgres://ada:[redacted]@db/x', events: 'ok' },
    });
  });

  it('does not wait for a check that never answers', async () => {
    health.register('stuck', () => new Promise(() => {}));

    expect(await readiness()).toMatchObject({ http: 503, checks: { stuck: expect.stringContaining('no answer') as string } });
  });

  it('runs a check once for many probes', async () => {
    let runs = 0;
    health.register('counted', async () => void runs++);

    // A clock that the test sets, in whole ms: a sum of fractions is not exact.
    const now = Math.floor(performance.now());
    const clock = jest.spyOn(performance, 'now').mockReturnValue(now);

    await Promise.all(Array.from({ length: 20 }, () => readiness()));
    expect(runs).toBe(1);
    clock.mockReturnValue(now + ANSWER_AGE_MS_MAX);
    await readiness();
    expect(runs).toBe(1);
    clock.mockReturnValue(now + ANSWER_AGE_MS_MAX + 1);
    await readiness();
    expect(runs).toBe(2);
  });

  it('drops the check of a removed part', async () => {
    const remove = health.register('database', async () => {
      throw new Error('unavailable');
    });
    await readiness();

    remove();

    expect(await readiness()).toEqual({ http: 200, status: 'ok', checks: {} });
  });

  it('refuses a second check of the same name', () => {
    health.register('database', async () => {});

    expect(() => health.register('database', async () => {})).toThrow('already registered');
  });

  it('stays live while a dependency is unavailable, and while it stops', async () => {
    health.register('database', async () => {
      throw new Error('unavailable');
    });
    health.markStopping();

    expect((await get('/health/live')).status).toBe(200);
    expect(await readiness()).toMatchObject({ http: 503, checks: { process: 'stopping' } });
  });

  it('shows metrics; a second request for a name returns the same metric', async () => {
    const things = counter('tidings_things_total', { help: 'Things', labels: { kind: 'a kind' }, processes: [] });
    metrics.counter(things).inc({ kind: 'one' });
    metrics.counter(things).inc({ kind: 'one' });

    const response = await get('/metrics');

    expect(response.headers.get('content-type')).toContain('text/plain');
    expect(await response.text()).toContain('tidings_things_total{kind="one"} 2');
  });

  it('answers 404 or 405 to everything else', async () => {
    expect((await get('/')).status).toBe(404);
    expect((await get('/metrics', { method: 'POST' })).status).toBe(405);
    expect((await get('/health/live?x=1', { method: 'HEAD' })).status).toBe(200);
  });

  it('names the port that cannot be used', async () => {
    await expect(startManagementServer({ port: server.port, health, metrics })).rejects.toThrow(
      `MANAGEMENT_PORT ${server.port} cannot be used`,
    );
  });
});
