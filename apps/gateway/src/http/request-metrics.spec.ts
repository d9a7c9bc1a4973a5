import { metrics } from '@tidings/runtime/metrics';
import { waitUntil } from '@tidings/testing/wait-until';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';
import { things } from '../testing/test-operations';

/** The metrics before this suite: others of the same process may have counted. */
let before = '';

/** How often requests of an operation were answered with a status in this suite, by both metrics. */
async function counts(operation: string, status: number) {
  const text = await metrics.registry.metrics();
  const labels = `{operation="${operation}",status="${status}"}`;
  return ['tidings_http_requests_total', 'tidings_http_request_duration_seconds_count'].map((name) => {
    const now = valueIn(text, `${name}${labels}`);
    return now === undefined ? undefined : now - (valueIn(before, `${name}${labels}`) ?? 0);
  });
}

function valueIn(text: string, series: string) {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')));
}

describe('the metrics of requests', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    before = await metrics.registry.metrics();
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.stop());

  it('announce every operation, and the durations of sends', async () => {
    expect(await counts('gateway.send.accept', 202)).toEqual([0, 0]);
    expect((await counts(things.remove.pattern, 204))[0]).toBe(0);
  });

  it('count accepted sends, refusals of the gateway, and requests outside the operations', async () => {
    const send = (body: object) =>
      gateway.request('/send', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    const message = { to: { email: 'ada@example.com' }, content: { title: 't', body: 'b' } };

    expect((await send({ message })).status).toBe(202);
    expect((await send({ message: 1 })).status).toBe(400);
    expect((await gateway.request('/send', { method: 'POST', headers: { authorization: 'Bearer none' } })).status).toBe(401);
    expect((await gateway.request('/audit-events')).status).toBe(501);
    expect((await gateway.request('/nothing')).status).toBe(404);
    expect((await gateway.request('/%zz')).status).toBe(400);

    expect(await counts('gateway.send.accept', 202)).toEqual([1, 1]);
    expect(await counts('gateway.send.accept', 400)).toEqual([1, 1]);
    expect(await counts('gateway.send.accept', 401)).toEqual([1, 1]);
    expect(await counts('not_served', 501)).toEqual([1, 1]);
    expect(await counts('other', 404)).toEqual([1, 1]);
    expect((await counts('other', 400))[0]).toBe(1);
    const accepted = valueIn(await metrics.registry.metrics(), 'tidings_messages_accepted_total')!;
    expect(accepted - (valueIn(before, 'tidings_messages_accepted_total') ?? 0)).toBe(1);
  });

  it('count a client that left before its answer', async () => {
    // An attempt counts as answered where the server has not noticed the end of the connection yet; the next one answers later.
    const leave = async (afterMs: number): Promise<void> => {
      const left = new AbortController();
      let answer!: () => void;
      gateway.client.answer(things.remove, () => {
        left.abort();
        return new Promise<void>((resolve) => (answer = resolve));
      });
      await expect(gateway.request('/things/one', { method: 'DELETE', signal: left.signal })).rejects.toThrow();
      setTimeout(answer, afterMs);
    };

    let attempts = 0;
    await waitUntil(async () => {
      await leave((attempts += 1));
      return ((await counts(things.remove.pattern, 499))[0] ?? 0) > 0;
    });
  });
});
