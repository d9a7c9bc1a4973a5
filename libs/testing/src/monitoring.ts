import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

/** A rule of `k8s/monitoring/rules.yaml`. */
export interface AlertRule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

interface PrometheusRule {
  kind: string;
  spec: { groups: { name: string; rules: AlertRule[] }[] };
}

/** A dashboard of Grafana: the fields that the tests read. */
interface Dashboard {
  uid: string;
  title: string;
  panels: { id: number; title: string; targets: { expr: string }[] }[];
}

const FOLDER = path.resolve(__dirname, '../../../k8s/monitoring');
const read = (file: string) => readFileSync(path.join(FOLDER, file), 'utf8');

/** The groups of rules, as Prometheus reads them. */
export function ruleGroups(): PrometheusRule['spec'] {
  return (parse(read('rules.yaml')) as PrometheusRule).spec;
}

export function alertRules(): AlertRule[] {
  return ruleGroups().groups.flatMap(({ rules }) => rules);
}

/** The dashboards by file name. */
export function dashboards(): Map<string, Dashboard> {
  const files = readdirSync(path.join(FOLDER, 'dashboards'));
  return new Map(files.map((file) => [file, JSON.parse(read(`dashboards/${file}`)) as Dashboard]));
}

/** Every expression of alerts and dashboards, with the name of what shows it. */
export function expressions(): { of: string; expr: string }[] {
  const panels = [...dashboards().values()].flatMap(({ title, panels }) =>
    panels.map((panel) => ({ ...panel, title: `${title}, ${panel.title}` })),
  );
  return [
    ...alertRules().map(({ alert, expr }) => ({ of: alert, expr })),
    ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ of: title, expr }))),
  ];
}

/** The queries of docs/metrics.md and of the runbooks: one a line. */
export function documentedQueries(): { of: string; expr: string }[] {
  const docs = path.resolve(FOLDER, '../../docs');
  const pages = ['metrics.md', ...readdirSync(path.join(docs, 'runbooks')).map((file) => `runbooks/${file}`)];
  return pages.flatMap((page) => {
    const blocks = [...readFileSync(path.join(docs, page), 'utf8').matchAll(/```promql\n([^]*?)```/g)];
    return blocks.flatMap(([, block]) =>
      block!
        .trim()
        .split('\n')
        .map((line) => ({ of: page, expr: line.replace(/\s+#.*$/, '') })),
    );
  });
}

/** The names of metrics in an expression: each begins with the prefix of its source. */
export function metricNames(expr: string): string[] {
  const withoutTexts = expr.replaceAll(/"(?:\\.|[^"\\])*"/g, '""');
  return [...new Set(withoutTexts.match(/\b(?:tidings|nodejs|process|kubelet|up)(?:_\w+)?\b/g) ?? [])];
}
