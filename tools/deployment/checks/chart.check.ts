import { comparable } from '../chart-comparison';
import { itWith } from '@tidings/testing/installed-tools';
import { helm, kubernetesValidate, kustomize } from '../checking-tools';
import { customResources } from '../custom-resources';
import { type KubernetesObject, readObjects } from '../kubernetes';
import { problemsOfProduction } from '../kubernetes-production';
import { problemsOfObjects } from '../kubernetes-rules';
import { build, buildWith, CHART, KUBERNETES_VERSIONS, PRODUCTION_VALUES, renderChart, schemaProblems } from '../manifests';
import { readText } from '../repository';

const PRODUCTION = ['--values', PRODUCTION_VALUES];
const { version } = JSON.parse(readText('package.json')) as { version: string };

const objectsOf = (yaml: string) => comparable(readObjects(yaml), version);
const jobsOf = (...parameters: string[]): KubernetesObject[] =>
  readObjects(renderChart(...parameters)).filter(({ kind }) => kind === 'Job');

describe('charts/tidings', () => {
  const itRenders = itWith(helm);
  const itCompares = itWith(helm, kustomize);
  const itValidates = itWith(helm, kubernetesValidate, customResources);

  itRenders('is of the version of the product, and Helm finds no mistake in it', () => {
    const chart = readText('charts/tidings/Chart.yaml');
    expect([...chart.matchAll(/^(?:version|appVersion): (.*)$/gm)].map(([, found]) => found)).toEqual([version, version]);
    for (const values of [[], PRODUCTION]) {
      const linted = helm.run(['lint', CHART, '--strict', '--kube-version', KUBERNETES_VERSIONS[0], ...values]);
      expect({ status: linted.status, output: linted.status === 0 ? '' : linted.stdout }).toEqual({ status: 0, output: '' });
    }
  });

  itCompares('is k8s/base with its default values', () => expect(objectsOf(renderChart())).toEqual(objectsOf(build('k8s/base'))));

  itCompares('is k8s/overlays/production with the values for production', () =>
    expect(objectsOf(renderChart(...PRODUCTION))).toEqual(objectsOf(build('k8s/overlays/production'))),
  );

  itCompares('is k8s/overlays/production with keda and http-route with their values', () => {
    const values = ['--set', 'keda.enabled=true,httpRoute.enabled=true,ingress.enabled=false'];
    expect(objectsOf(renderChart(...PRODUCTION, ...values))).toEqual(
      objectsOf(buildWith('k8s/overlays/production', ['keda', 'http-route'])),
    );
  });

  itCompares('differs from k8s/base with any other value', () => {
    const base = objectsOf(build('k8s/base'));
    for (const value of [
      'apps.messaging.replicas=3',
      'config.LOG_LEVEL=debug',
      'image.tag=other',
      'jobs.kafkaAccess=false',
      'disruptionBudgets=true',
    ]) {
      expect({ value, objects: objectsOf(renderChart('--set', value)) }).not.toEqual({ value, objects: base });
    }
  });

  itValidates('contains only valid objects, with the values for production too', () => {
    for (const yaml of [renderChart(), renderChart(...PRODUCTION)]) {
      expect(schemaProblems(yaml)).toEqual([]);
      expect(problemsOfObjects(readObjects(yaml))).toEqual([]);
    }
    expect(problemsOfProduction(readObjects(renderChart(...PRODUCTION)))).toEqual([]);
  });

  itRenders('runs its Jobs before an installation and an upgrade, and replaces those of the last one', () => {
    const objects = readObjects(renderChart());
    const hooks = objects.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook']);
    expect(hooks.map(({ kind, metadata }) => `${kind}/${metadata.name}`).sort()).toEqual([
      'ConfigMap/tidings-kafka-access',
      'Job/tidings-kafka-access',
      'Job/tidings-migrate',
    ]);
    for (const { metadata } of hooks) {
      expect(metadata.annotations).toMatchObject({
        'helm.sh/hook': 'pre-install,pre-upgrade',
        'helm.sh/hook-delete-policy': 'before-hook-creation',
      });
    }
    const weight = (kind: string) => Number(hooks.find((hook) => hook.kind === kind)!.metadata.annotations!['helm.sh/hook-weight']);
    expect(weight('ConfigMap')).toBeLessThan(weight('Job'));
  });

  itRenders('gives a Job that is no hook another name with another content: the same name is the same Job', () => {
    const variants = ['image.tag=other', 'config.LOG_LEVEL=warn', 'config.KAFKA_BROKERS=a:9092', 'imagePullSecrets[0].name=registry'];
    const all = [[], ...variants.map((value) => ['--set', value])].flatMap((values) => jobsOf('--set', 'jobs.hooks=false', ...values));
    const contents = new Map<string, Set<string>>();
    for (const { metadata, spec } of all) {
      contents.set(metadata.name, (contents.get(metadata.name) ?? new Set()).add(JSON.stringify(spec)));
    }
    expect([...contents].filter(([, specs]) => specs.size !== 1)).toEqual([]);
    expect(contents.size).toBeGreaterThan(4);
    expect(all.filter(({ metadata }) => metadata.annotations)).toEqual([]);
  });

  itRenders('refuses a Kubernetes that is too old', () => {
    const { status, stderr } = helm.run(['template', 'tidings', CHART, '--kube-version', '1.29.0']);
    expect(status).not.toBe(0);
    expect(stderr).toContain('requires kubeVersion');
  });
});
