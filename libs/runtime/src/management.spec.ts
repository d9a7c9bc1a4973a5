import { HealthRegistry } from './health';
import { type ManagementServer, startManagementServer } from './management';
import { Metrics } from './metrics';

/** For so long an answer serves all who ask. */
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

  it('is ready when every check says so', async () => {
    health.register('database', async () => {});

    expect(await readiness()).toEqual({ http: 200, status: 'ok', checks: { database: 'ok' } });
  });

  it('says which part is not ready and why, without secrets', async () => {
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

  it('asks a check once for many probes', async () => {
    let asked = 0;
    health.register('counted', async () => void asked++);

    // A clock that goes when the story says so: how long the probes take plays no part.
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(now);

    await Promise.all(Array.from({ length: 20 }, () => readiness()));
    expect(asked).toBe(1);
    clock.mockReturnValue(now + ANSWER_AGE_MS_MAX);
    await readiness();
    expect(asked).toBe(1);
    clock.mockReturnValue(now + ANSWER_AGE_MS_MAX + 1);
    await readiness();
    expect(asked).toBe(2);
  });

  it('forgets a part that was taken out', async () => {
    const takeOut = health.register('database', async () => {
      throw new Error('gone');
    });
    await readiness();

    takeOut();

    expect(await readiness()).toEqual({ http: 200, status: 'ok', checks: {} });
  });

  it('takes a name once', () => {
    health.register('database', async () => {});

    expect(() => health.register('database', async () => {})).toThrow('already registered');
  });

  it('stays live while what it depends on is away, and while it stops', async () => {
    health.register('database', async () => {
      throw new Error('away');
    });
    health.markStopping();

    expect((await get('/health/live')).status).toBe(200);
    expect(await readiness()).toMatchObject({ http: 503, checks: { process: 'stopping' } });
  });

  it('shows metrics; asking for one twice gives the same', async () => {
    metrics.counter({ name: 'tidings_things_total', help: 'Things', labels: ['kind'] }).inc({ kind: 'one' });
    metrics.counter({ name: 'tidings_things_total', help: 'Things', labels: ['kind'] }).inc({ kind: 'one' });

    const response = await get('/metrics');

    expect(response.headers.get('content-type')).toContain('text/plain');
    expect(await response.text()).toContain('tidings_things_total{kind="one"} 2');
    expect(() => metrics.gauge({ name: 'tidings_things_total', help: 'Things' })).toThrow('another kind');
  });

  it('answers nothing else', async () => {
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
