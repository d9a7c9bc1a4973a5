import { readdirSync } from 'node:fs';
import path from 'node:path';
import { METRICS } from '@tidings/runtime/metric-table';
import { alertRules, dashboards, documentedQueries, expressions, metricNames } from '@tidings/testing/monitoring';
import { readText, root } from './repository';

/** Of other programs: the kubelet, and Prometheus itself. */
const FOREIGN = ['up', 'kubelet_volume_stats_available_bytes', 'kubelet_volume_stats_capacity_bytes'];
/** Those that prom-client adds to a name, of histograms. */
const SUFFIX = /_(?:bucket|count|sum)$/;
const RUNBOOKS = 'docs/runbooks';

describe('k8s/monitoring', () => {
  it('has a runbook for every alert, named after it, and no other', () => {
    const rules = alertRules();
    expect(rules.length).toBeGreaterThan(0);
    for (const { alert, annotations, labels } of rules) {
      expect(readText(annotations.runbook)).toMatch(new RegExp(`^# ${alert}\n[^]+\n## First look\n[^]+\n## What to do\n`));
      expect(['warning', 'critical']).toContain(labels.severity);
    }
    const pages = readdirSync(path.join(root, RUNBOOKS)).filter((file) => file !== 'README.md');
    expect(rules.map(({ annotations }) => annotations.runbook).sort()).toEqual(pages.map((page) => `${RUNBOOKS}/${page}`).sort());
  });

  it('lists every alert with its runbook in docs/runbooks/README.md', () => {
    const page = readText(`${RUNBOOKS}/README.md`);
    const missing = alertRules().filter(({ alert, annotations }) => !page.includes(`[${alert}](${path.basename(annotations.runbook)})`));
    expect(missing).toEqual([]);
  });

  it('names only metrics of docs/metrics.md, of prom-client, and of the kubelet', () => {
    const own = Object.values(METRICS).map(({ name }) => name as string);
    const unknown = [...expressions(), ...documentedQueries()].flatMap(({ of, expr }) =>
      metricNames(expr)
        .filter((name) => !FOREIGN.includes(name) && !/^(?:nodejs|process)_/.test(name))
        .filter((name) => !own.includes(name) && !own.includes(name.replace(SUFFIX, '')))
        .map((name) => `${of}: ${name}`),
    );
    expect(unknown).toEqual([]);
    expect(metricNames('rate(tidings_a_total{b="tidings_c"}[5m]) / up')).toEqual(['tidings_a_total', 'up']);
  });

  it('shows every metric of ours on a dashboard or in an alert', () => {
    const used = new Set(expressions().flatMap(({ expr }) => metricNames(expr).map((name) => name.replace(SUFFIX, ''))));
    const unused = Object.values(METRICS).filter(({ name }) => !used.has(name));
    // Both are in others: completed work in its duration, calls of providers in the deliveries.
    expect(unused.map(({ name }) => name)).toEqual(['tidings_delivery_attempts_total', 'tidings_work_completed_total']);
  });

  it('has the same rules and dashboards in the chart', () => {
    for (const file of ['rules.yaml', ...[...dashboards().keys()].map((name) => `dashboards/${name}`)]) {
      const copy = `charts/tidings/files/monitoring/${path.basename(file)}`;
      expect({ copy, text: readText(copy) }).toEqual({ copy, text: readText(`k8s/monitoring/${file}`) });
    }
  });

  it('has dashboards that Grafana can load together', () => {
    const all = [...dashboards().values()];
    expect(all.length).toBeGreaterThanOrEqual(3);
    expect(new Set(all.map(({ uid }) => uid)).size).toBe(all.length);
    for (const { panels } of all) expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const file of dashboards().keys()) expect(readText('k8s/monitoring/kustomization.yaml')).toContain(`dashboards/${file}`);
  });
});
