import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { alertRules, ruleGroups } from '@tidings/testing/monitoring';
import { parse } from 'yaml';
import { itWith } from '@tidings/testing/installed-tools';
import { kustomize, promtool } from '../checking-tools';
import { readObjects } from '../kubernetes';
import { readText, root } from '../repository';

const TESTS = 'k8s/monitoring/rules.test.yaml';

describe('k8s/monitoring', () => {
  const itChecks = itWith(promtool);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tidings-monitoring-'));
    writeFileSync(path.join(folder, 'groups.yaml'), JSON.stringify(ruleGroups()));
    copyFileSync(path.join(root, TESTS), path.join(folder, 'rules.test.yaml'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  itChecks('has rules that Prometheus accepts', () => {
    const { status, stdout } = promtool.run(['check', 'rules', path.join(folder, 'groups.yaml')]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining(`SUCCESS: ${alertRules().length} rules`) as string });
  });

  itChecks('has alerts that fire on what they are about, and not in normal operation', () => {
    const { status, stdout, stderr } = promtool.run(['test', 'rules', path.join(folder, 'rules.test.yaml')]);
    expect({ status, output: `${stdout}${stderr}` }).toEqual({ status: 0, output: expect.stringContaining('SUCCESS') as string });
  });

  it('tests every alert in both directions', () => {
    const { tests } = parse(readText(TESTS)) as { tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[] };
    const tested = (fires: boolean) =>
      tests.flatMap(({ alert_rule_test: each }) => each).filter(({ exp_alerts }) => exp_alerts.length > 0 === fires);
    const names = alertRules().map(({ alert }) => alert);
    for (const fires of [true, false]) {
      expect(
        tested(fires)
          .map(({ alertname }) => alertname)
          .sort(),
      ).toEqual([...names].sort());
    }
  });

  itWith(kustomize)('builds to the rules and a ConfigMap with the dashboards', () => {
    const { status, stdout, stderr } = kustomize.run(['build', path.join(root, 'k8s/monitoring')]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(readObjects(stdout).map(({ kind }) => kind)).toEqual(['ConfigMap', 'PrometheusRule']);
  });
});
