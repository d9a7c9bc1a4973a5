import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS } from '@tidings/testing/kafka';
import { alertRules, dashboards, documentedQueries, expressions, metricNames } from '@tidings/testing/monitoring';
import { waitUntil } from '@tidings/testing/wait-until';
import { itWithPrometheus as itQueries, missingPrometheus, PrometheusServer } from './testing/prometheus-server';
import { System } from './testing/system';

/** Until an average of 5 min forgets its first samples: an alert fires after such a time alone. */
const END_OF_START_MS_MAX = 60_000;
/** Measured by the kubelet, which is not here. */
const isOfKubelet = (expr: string): boolean => metricNames(expr).some((name) => name.startsWith('kubelet_'));

describeWithKafka('alerts and dashboards on the five processes', () => {
  let smtp: CapturingSmtp;
  let system: System;
  let prometheus: PrometheusServer | undefined;

  beforeAll(async () => {
    smtp = await CapturingSmtp.start();
    system = await System.start({ topology: 'kafka', smtpUrl: smtp.url });
    if (!missingPrometheus) prometheus = await PrometheusServer.start(system.metricsPorts);
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(async () => {
    await prometheus?.stop();
    await system?.stop();
    await smtp?.close();
  });

  it('name only metrics that a process shows from its start', async () => {
    const text = [...(await system.metricsByProcess()).values()].join('\n');
    const declared = new Set([...text.matchAll(/^(\w+)(?:\{| )/gm)].map(([, name]) => name));
    const absent = expressions().flatMap(({ of, expr }) =>
      metricNames(expr)
        .filter((name) => name !== 'up' && !name.startsWith('kubelet_') && !declared.has(name))
        .map((name) => `${of}: ${name}`),
    );
    expect(absent).toEqual([]);
  });

  itQueries('have a value in every panel before anything was sent', async () => {
    const empty: string[] = [];
    for (const { title, panels } of dashboards().values())
      for (const panel of panels)
        for (const { expr } of panel.targets.filter((target) => !isOfKubelet(target.expr)))
          if ((await prometheus!.query(expr)).length === 0) empty.push(`${title}, ${panel.title}: ${expr}`);
    expect(empty).toEqual([]);
  });

  itQueries('raise no alert on a system at rest, and none that cannot be evaluated', async () => {
    // Averages of minutes contain the start, in which statements wait on a busy machine.
    for (const { alert, expr } of alertRules()) {
      await waitUntil(async () => (await prometheus!.query(expr)).length === 0, { what: `no ${alert}`, timeoutMs: END_OF_START_MS_MAX });
    }
  });

  itQueries('can be evaluated where runbooks name queries', async () => {
    const queries = documentedQueries();
    expect(queries.length).toBeGreaterThan(alertRules().length);
    for (const { expr } of queries) await expect(prometheus!.query(expr)).resolves.toBeDefined();
  });

  itQueries('show a send', async () => {
    await system.client.send('ada@example.com');
    await waitUntil(() => smtp.mailsTo('ada@example.com').length > 0, { what: 'the mail' });
    const valueOf = async (expr: string): Promise<number> => Number((await prometheus!.query(expr))[0]?.value[1]);

    await waitUntil(async () => (await valueOf('sum(tidings_deliveries_total{outcome="accepted"})')) === 1, { what: 'the delivery' });
    await waitUntil(async () => (await valueOf('sum(rate(tidings_messages_accepted_total[5m]))')) > 0, { what: 'the rate of sends' });
    expect(await valueOf('max(tidings_consumer_lag)')).toBeGreaterThanOrEqual(0);
    expect(await valueOf('sum(up{job="tidings-metrics"})')).toBe(5);
  });

  itQueries('notice a frozen process', async () => {
    const { expr } = alertRules().find(({ alert }) => alert === 'TidingsProcessDown')!;
    await system.killProcess('content', async () => {
      const raised = await waitUntil(
        async () => {
          const series = await prometheus!.query(expr);
          return series.length > 0 ? series : undefined;
        },
        { what: 'the alert' },
      );
      expect(raised.map(({ metric }) => metric.pod)).toEqual(['content']);
    });
  });
});
