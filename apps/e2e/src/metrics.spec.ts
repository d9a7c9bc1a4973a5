import { metricsOfProcess } from '@tidings/runtime/metric-table';
import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { waitUntil } from '@tidings/testing/wait-until';
import { System } from './testing/system';

const TOPICS_CONSUMED_BY_MESSAGING = ['tidings.message-requests.v1'];
const lagOf = (topic: string) => `tidings_consumer_lag{topic="${topic}",group="tidings.messaging.router"} 0`;

describe('the metrics of the running product', () => {
  let smtp: CapturingSmtp;
  let system: System;
  let atStart: Map<string, string>;

  beforeAll(async () => {
    smtp = await CapturingSmtp.start();
    system = await System.start({ smtpUrl: smtp.url });
    // A scrape waits for Kafka 2 s at most: on a busy machine a later one shows the lag.
    atStart = await waitUntil(
      async () => {
        const shown = await system.metricsByProcess();
        const all = [...shown.values()].join('\n');
        return TOPICS_CONSUMED_BY_MESSAGING.every((topic) => all.includes(lagOf(topic))) ? shown : undefined;
      },
      { what: 'the lag of messaging', timeoutMs: 60_000 },
    );
  });
  afterAll(async () => {
    await system?.stop();
    await smtp?.close();
  });

  it('are those of docs/metrics.md in each process, and no others', () => {
    for (const [name, text] of atStart) {
      const shown = [...text.matchAll(/^# TYPE (tidings_\w+) (\w+)$/gm)].map(([, metric, kind]) => `${metric} ${kind}`);
      const expected = metricsOfProcess(name).map((metric) => `${metric.name} ${metric.kind}`);
      expect({ name, shown: shown.sort() }).toEqual({ name, shown: expected.sort() });
      expect(text).toMatch(/^nodejs_eventloop_lag_seconds \S+$/m);
    }
  });

  it('have a series of each metric from the start, configured or not', () => {
    const all = [...atStart.values()].join('\n');
    const expected = metricsOfProcess('standalone').filter(({ kind }) => kind !== 'histogram');
    const missing = expected.filter(({ name }) => !new RegExp(`^${name}(?:\\{| )`, 'm').test(all)).map(({ name }) => name);
    // Nothing was called yet where it is not known in advance what is called.
    expect(missing).toEqual([]);
    for (const topic of TOPICS_CONSUMED_BY_MESSAGING) {
      expect(all).toContain(`tidings_dead_letters{topic="${topic}"} 0`);
      expect(all).toContain(lagOf(topic));
    }
    expect(all).toContain('tidings_deliveries_total{channel="email",provider="smtp",outcome="accepted"} 0');
    expect(all).toContain('tidings_http_request_duration_seconds_count{operation="gateway.send.accept",status="202"} 0');
    expect(all).toContain('tidings_http_requests_total{operation="gateway.send.accept",status="503"} 0');
    expect(all).toContain('tidings_rpc_rejected_total{reason="unsigned"} 0');
  });

  it('follow a send through the processes', async () => {
    await system.client.send('ada@example.com');
    await waitUntil(() => smtp.mailsTo('ada@example.com').length > 0, { what: 'the mail' });
    await waitUntil(async () => (await system.metrics('tidings_deliveries_total', 'outcome="accepted"')) > 0, { what: 'its outcome' });
    await system.client.get('/messages');

    const one = async (name: string, labels = '') => system.metrics(name, labels);
    expect(await one('tidings_messages_accepted_total')).toBe(1);
    expect(await one('tidings_http_requests_total', 'operation="gateway.send.accept",status="202"')).toBe(1);
    expect(await one('tidings_messages_routed_total', 'lane="normal"')).toBe(1);
    expect(await one('tidings_deliveries_total', 'outcome="accepted"')).toBe(1);
    const latency = await system.metricsByProcess();
    expect([...latency.values()].join('\n')).toMatch(/^tidings_accept_to_provider_seconds_count 1$/m);
    expect([...latency.values()].join('\n')).toMatch(
      /^tidings_rpc_server_duration_seconds_count\{operation="messaging\.messages\.\w+",outcome="ok"\} [1-9]/m,
    );
    expect(await one('tidings_oldest_due_delivery_age_seconds')).toBe(0);
    expect(await one('tidings_database_pool_size')).toBeGreaterThan(0);
  });
});
