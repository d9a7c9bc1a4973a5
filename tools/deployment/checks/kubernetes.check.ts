import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { itWith } from '@tidings/testing/installed-tools';
import { kubernetesValidate, kustomize } from '../checking-tools';
import { customResources } from '../custom-resources';
import { nameOf, readObjects, workloadsOf } from '../kubernetes';
import { brokerOfObjects, environmentsOfObjects } from '../kubernetes-environment';
import { problemsOfProduction } from '../kubernetes-production';
import { problemsOfObjects } from '../kubernetes-rules';
import { problemsOfBroker, problemsOfPrincipals, usersOf } from '../kafka-broker';
import { build, buildEdited, buildWith, KUBERNETES_VERSIONS, schemaProblems } from '../manifests';
import { JOBS, problemsOfDeployment, problemsOfProcess, ROLES } from '../process-environment';

/** Secrets that an installation creates; see docs/kubernetes.md. */
const SECRETS = ['migrate', 'rpc', 'sealing', 'identity', 'audience', 'messaging', 'content'].map((name) => `tidings-${name}`);

/** Secrets that operators create, beside those of the installation. */
const DRAWN = [
  'tidings-cluster-ca-cert',
  'tidings-postgres-app',
  ...ROLES.filter((role) => !JOBS.includes(role)).map((role) => `kafka-tidings-${role}`),
];

/** What is validated: every kustomization, and every component on top of the production overlay. */
const BUILDS = {
  'k8s/base': () => build('k8s/base'),
  'k8s/overlays/dev': () => build('k8s/overlays/dev'),
  'k8s/overlays/production': () => build('k8s/overlays/production'),
  'k8s/overlays/production with keda and http-route': () => buildWith('k8s/overlays/production', ['keda', 'http-route']),
};

const secret = (name: string, stringData: Record<string, string>) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData });
const rpc = secret('tidings-rpc', { TIDINGS_RPC_SECRET: 'x'.repeat(32) });
const sealing = secret('tidings-sealing', { TIDINGS_SECRET_KEY: '0'.repeat(64) });

/** The Secrets of docs/kubernetes.md for the production overlay, and those of the operators. */
const productionSecrets = () => {
  const url = (role: string) => `postgresql://${role}:secret@tidings-postgres-rw.tidings:5432/tidings`;
  const services = ['identity', 'audience', 'messaging', 'content'];
  return [
    rpc,
    sealing,
    secret('tidings-migrate', Object.fromEntries(services.map((service) => [`${service.toUpperCase()}_PASSWORD`, 'secret']))),
    secret('tidings-identity', { DATABASE_URL: url('tidings_identity'), TIDINGS_API_KEY: 'pk_prod_0123456789abcdef' }),
    secret('tidings-audience', { DATABASE_URL: url('tidings_audience') }),
    secret('tidings-messaging', { DATABASE_URL: url('tidings_messaging'), TIDINGS_SMTP_URL: 'smtp://mail.example.com?from=a@example.com' }),
    secret('tidings-content', { DATABASE_URL: url('tidings_content') }),
    secret('tidings-cluster-ca-cert', { 'ca.crt': '' }),
    secret('tidings-postgres-app', { uri: url('tidings') }),
    ...DRAWN.filter((name) => name.startsWith('kafka-')).map((name) => secret(name, { password: `of ${name}` })),
  ];
};

const kindsOf = (yaml: string) => readObjects(yaml).map(({ kind }) => kind);

/** The templates of pods of Jobs, by name. */
const jobsOf = (yaml: string) =>
  Object.fromEntries(readObjects(yaml).flatMap((object) => (object.kind === 'Job' ? [[object.metadata.name, object.spec]] : [])));

/** Replaces text in a file of a copy of the tree. */
function replaceIn(folder: string, file: string, sound: string, changed: string) {
  const name = path.join(folder, file);
  const text = readFileSync(name, 'utf8');
  expect(text).toContain(sound);
  writeFileSync(name, text.replace(sound, changed));
}

describe('k8s', () => {
  const itBuilds = itWith(kustomize);
  const itValidates = itWith(kustomize, kubernetesValidate, customResources);

  for (const [name, yamlOf] of Object.entries(BUILDS)) {
    itValidates(`${name} contains only valid objects`, () => {
      expect(kindsOf(yamlOf()).filter((kind) => kind === 'Deployment').length).toBeGreaterThanOrEqual(5);
      expect(schemaProblems(yamlOf())).toEqual([]);
    });

    itBuilds(`${name} defines start, probes and stop of every process`, () => expect(problemsOfObjects(readObjects(yamlOf()))).toEqual([]));

    if (name.startsWith('k8s/overlays/production')) {
      itBuilds(`${name} survives drains and zones, scales, and lets each process reach what it needs and nothing else`, () =>
        expect(problemsOfProduction(readObjects(yamlOf()))).toEqual([]),
      );
    }
  }

  itBuilds('k8s/overlays/production configures every process with the documented Secrets and those of the operators', () => {
    const objects = readObjects(build('k8s/overlays/production'));
    const names = productionSecrets().map(({ metadata }) => metadata.name);
    expect(new Set(names)).toEqual(new Set([...SECRETS, ...DRAWN]));
    const { environments, problems } = environmentsOfObjects([...objects, ...productionSecrets()]);
    expect(problems).toEqual([]);
    // Strimzi gives the rights in Kafka: no process does. The brokers' certificate is a file of the pod.
    const mistakes = problemsOfDeployment(environments).filter((problem) => !problem.includes('ca.crt" is not a file that can be read'));
    expect(mistakes).toEqual(['kafka-access: is not deployed']);
    for (const role of ROLES.filter((one) => !JOBS.includes(one))) {
      const { KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD, KAFKA_BROKERS, KAFKA_TLS_CA } = environments[role]!;
      expect([KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD]).toEqual([`tidings-${role}`, `of kafka-tidings-${role}`]);
      expect([KAFKA_BROKERS, KAFKA_TLS_CA]).toEqual(['tidings-kafka-bootstrap:9093', '/etc/tidings/kafka/ca.crt']);
    }
  });

  itBuilds('components replace what they stand for', () => {
    const objects = readObjects(BUILDS['k8s/overlays/production with keda and http-route']());
    const names = objects.map(nameOf);
    expect(names).toEqual(expect.arrayContaining(['ScaledObject/tidings-messaging', 'HTTPRoute/tidings-gateway']));
    expect(names).not.toContain('HorizontalPodAutoscaler/tidings-messaging');
    expect(names.filter((name) => name.startsWith('Ingress/'))).toEqual([]);
    const scaled = JSON.stringify(objects.find(({ kind }) => kind === 'ScaledObject'));
    for (const metric of ['tidings_oldest_due_delivery_age_seconds', 'tidings_consumer_lag']) expect(scaled).toContain(metric);
  });

  // A cluster refuses an object whose immutable fields differ.
  const changes: [string, string, string, string][] = [
    ['another image', 'k8s/overlays/dev/kustomization.yaml', 'newTag: local', 'newTag: other'],
    ['an image by digest', 'k8s/overlays/production/kustomization.yaml', 'newTag: 0.2.0', `digest: sha256:${'ab'.repeat(32)}`],
    ['another log level', 'k8s/overlays/dev/kustomization.yaml', 'LOG_LEVEL=debug', 'LOG_LEVEL=warn'],
    ['other brokers', 'k8s/overlays/dev/kustomization.yaml', 'literals: [LOG_LEVEL=debug', "literals: ['KAFKA_BROKERS=a:9092'"],
    ['another mechanism', 'k8s/overlays/dev/kustomization.yaml', 'MECHANISM=plain', 'MECHANISM=scram-sha-256'],
    ['another log level', 'k8s/base/kustomization.yaml', 'LOG_LEVEL=info', 'LOG_LEVEL=warn'],
  ];
  for (const [what, file, sound, changed] of changes) {
    itBuilds(`${path.dirname(file)} can be applied again with ${what}: no Job of the same name differs`, () => {
      const before = jobsOf(build(path.dirname(file)));
      const after = jobsOf(buildEdited(path.dirname(file), (folder) => replaceIn(folder, file, sound, changed)));
      expect(Object.keys(before).length).toBeGreaterThanOrEqual(1);
      const common = Object.keys(before).filter((name) => name in after);
      expect(Object.fromEntries(common.map((name) => [name, after[name]]))).toEqual(
        Object.fromEntries(common.map((name) => [name, before[name]])),
      );
      if (what.includes('image')) expect(common).toEqual([]);
    });
  }

  itBuilds('k8s/overlays/dev configures every process', () => {
    const { environments, problems } = environmentsOfObjects([...readObjects(build('k8s/overlays/dev')), rpc, sealing]);
    expect(problems).toEqual([]);
    expect(problemsOfDeployment(environments)).toEqual([]);
  });

  itBuilds('k8s/overlays/dev gives each process a principal of its own in Kafka', () => {
    const objects = readObjects(build('k8s/overlays/dev'));
    const { environment, users } = brokerOfObjects(objects);
    expect(problemsOfPrincipals(environmentsOfObjects(objects).environments, usersOf(users.SASL_USERS!))).toEqual([]);
    expect(problemsOfBroker(environment)).toEqual([]);
    expect(environment.KAFKA_LISTENER_NAME_CLIENT_PLAIN_SASL_JAAS_CONFIG).toBe('${directory:/run/tidings/kafka:SASL_USERS}');
  });

  itBuilds('k8s/base starts no process without a principal in Kafka, and gives each the Secret of its role', () => {
    const yaml = build('k8s/base');
    const { environments } = environmentsOfObjects(readObjects(yaml));
    for (const role of ROLES.filter((one) => one !== 'migrate')) {
      const problem = 'KAFKA_SASL_MECHANISM is set without KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD';
      expect({ role, problems: problemsOfProcess(role, environments[role]!) }).toEqual({
        role,
        problems: expect.arrayContaining([problem]) as unknown,
      });
      const { container } = workloadsOf(readObjects(yaml)).find((one) => one.container.args?.[0] === role)!;
      const secrets = (container.env ?? []).map(({ valueFrom }) => valueFrom?.secretKeyRef?.name).filter((name) => name?.includes('kafka'));
      expect(new Set(secrets)).toEqual(new Set([JOBS.includes(role) ? `tidings-${role}` : `tidings-kafka-${role}`]));
    }
  });

  itBuilds('k8s/overlays/dev publishes no secret by which processes sign or seal', () => {
    const { problems } = environmentsOfObjects(readObjects(build('k8s/overlays/dev')));
    const absent = [
      ['tidings-rpc', 'TIDINGS_RPC_SECRET'],
      ['tidings-sealing', 'TIDINGS_SECRET_KEY'],
    ].flatMap(([name, key]) => [`Secret/${name} is missing`, `Secret/${name} has no ${key}`]);
    expect(new Set(problems)).toEqual(new Set(absent));
  });

  itBuilds('k8s/base contains no secret and refers only to the documented ones', () => {
    const objects = readObjects(build('k8s/base'));
    expect(objects.map(nameOf).filter((name) => name.startsWith('Secret/'))).toEqual([]);
    const absent = environmentsOfObjects(objects).problems.filter((problem) => problem.endsWith('is missing'));
    expect(new Set(absent)).toEqual(new Set(SECRETS.map((name) => `Secret/${name} is missing`)));
  });

  const broken = [
    ['an unknown field', /terminationGracePeriodSeconds:/, 'terminationGraceSeconds:'],
    ['a value of the wrong type', /publishNotReadyAddresses: true/, 'publishNotReadyAddresses: perhaps'],
    ['a string that YAML parses as another type', /LOG_LEVEL: info/, 'LOG_LEVEL: no'],
    ['an unknown field of an operator', /scrapeClass|interval: 30s/, 'intervall: 30s'],
    ['a wrong value of an operator', /patternType: literal/, 'patternType: some'],
    ['a kind that no definition describes', /kind: KafkaNodePool/, 'kind: KafkaPool'],
  ] as const;
  for (const [what, sound, damaged] of broken) {
    itValidates(`is refused with ${what}`, () => {
      const yaml = build('k8s/overlays/production').replace(sound, damaged);
      expect(yaml).toContain(damaged);
      // The oldest version is enough to see that a mistake is found.
      expect(schemaProblems(yaml, KUBERNETES_VERSIONS.slice(0, 1))).not.toEqual([]);
    });
  }

  const harmful: [string, RegExp, string, RegExp][] = [
    ['two autoscalers of an app', /kind: ScaledObject/, 'kind: ScaledObject', /Deployment\/tidings-messaging has 2 autoscalers/],
    [
      'no budget',
      /maxUnavailable: 1\n {2}selector:\n {4}matchLabels:\n {6}app.kubernetes.io\/component: gateway/,
      'selector:\n    matchLabels:\n      x: y',
      /gateway has 0 PodDisruptionBudgets/,
    ],
    ['more pods than connections', /maxReplicas: 12/, 'maxReplicas: 40', /has 400 connections, and all pods need/],
    [
      'a policy that forgets an app',
      /- identity\n {6}- audience\n {6}- messaging\n {6}- content\n {6}- migrate/,
      '- identity\n      - migrate',
      /content not reaches PostgreSQL/,
    ],
    ['a network that messaging must not reach', /10\.0\.0\.0\/8/, '11.0.0.0/8', /messaging reaches a private network/],
    ['no alerts', /kind: PrometheusRule/, 'kind: Rule', /No PrometheusRule raises alerts/],
    ['no dashboards', /grafana_dashboard/, 'dashboard', /No ConfigMap has dashboards/],
    ['a monitor of nothing', /port: management\n {4}relabelings/, 'port: web\n    relabelings', /does not select one Service/],
  ];
  for (const [what, sound, damaged, problem] of harmful) {
    itBuilds(`is refused with ${what}`, () => {
      const yaml = build('k8s/overlays/production');
      const more = damaged.endsWith('ScaledObject')
        ? `${yaml}---\n${buildWith('k8s/overlays/production', ['keda'])
            .split('---\n')
            .find((one) => sound.test(one))}`
        : yaml.replace(sound, damaged);
      expect(more).not.toBe(yaml);
      expect(problemsOfProduction(readObjects(more)).join('\n')).toMatch(problem);
    });
  }

  itBuilds('is refused with a missing file', () => {
    const absent = () =>
      buildEdited('k8s/base', (folder) => appendFileSync(path.join(folder, 'k8s/base/kustomization.yaml'), '\ncrds: [absent.yaml]\n'));
    expect(absent).toThrow('absent.yaml');
  });
});
