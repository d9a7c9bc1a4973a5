import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { itWith, kubernetesValidate, kustomize } from '../checking-tools';
import { nameOf, readObjects, workloadsOf } from '../kubernetes';
import { brokerOfObjects, environmentsOfObjects } from '../kubernetes-environment';
import { problemsOfObjects } from '../kubernetes-rules';
import { problemsOfBroker, problemsOfPrincipals, usersOf } from '../kafka-broker';
import { JOBS, problemsOfDeployment, problemsOfProcess, ROLES } from '../process-environment';
import { root } from '../repository';

/** The oldest supported Kubernetes, and the newest with published schemas. */
const VERSIONS = ['1.30', '1.37'];

/** Secrets that an installation creates; see docs/deployment.md. */
const SECRETS = ['migrate', 'rpc', 'sealing', 'identity', 'audience', 'messaging', 'content'].map((name) => `tidings-${name}`);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tidings-kubernetes-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const built = new Map<string, string>();

/** The objects of a kustomization, which is built once. */
function build(kustomization: string): string {
  const earlier = built.get(kustomization);
  if (earlier !== undefined) return earlier;
  const { status, stdout, stderr } = kustomize.run(['build', path.join(root, kustomization)]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  built.set(kustomization, stdout);
  return stdout;
}

function validate(yaml: string, version: string) {
  const file = path.join(folder, 'objects.yaml');
  writeFileSync(file, yaml);
  const { status, stdout, stderr } = kubernetesValidate.run(['--strict', '--kubernetes-version', version, file]);
  return { status, messages: `${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !line.startsWith('INFO')) };
}

const count = (yaml: string, kind: string): number => readObjects(yaml).filter((object) => object.kind === kind).length;

describe('k8s', () => {
  const itBuilds = itWith(kustomize);
  const itValidates = itWith(kustomize, kubernetesValidate);

  for (const kustomization of ['k8s/base', 'k8s/overlays/dev']) {
    itValidates(`${kustomization} contains only valid objects`, () => {
      const yaml = build(kustomization);
      expect(count(yaml, 'Deployment')).toBeGreaterThanOrEqual(5);
      for (const version of VERSIONS) expect({ version, ...validate(yaml, version) }).toEqual({ version, status: 0, messages: [] });
    });

    itBuilds(`${kustomization} defines start, probes and stop of every process`, () =>
      expect(problemsOfObjects(readObjects(build(kustomization)))).toEqual([]),
    );
  }

  itBuilds('k8s/overlays/dev configures every process', () => {
    const rpc = { kind: 'Secret', metadata: { name: 'tidings-rpc' }, stringData: { TIDINGS_RPC_SECRET: 'x'.repeat(32) } };
    const sealing = { kind: 'Secret', metadata: { name: 'tidings-sealing' }, stringData: { TIDINGS_SECRET_KEY: '0'.repeat(64) } };
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
  ] as const;
  for (const [what, sound, damaged] of broken) {
    itValidates(`is refused with ${what}`, () => {
      const yaml = build('k8s/base').replace(sound, damaged);
      expect(yaml).toContain(damaged);
      const { status, messages } = validate(yaml, VERSIONS[0]!);
      expect(status).not.toBe(0);
      expect(messages.join('\n')).not.toBe('');
    });
  }

  itBuilds('is refused with a missing file', () => {
    writeFileSync(path.join(folder, 'kustomization.yaml'), 'resources: [absent.yaml]\n');
    const { status, stderr } = kustomize.run(['build', folder]);
    expect(status).not.toBe(0);
    expect(stderr).toContain('absent.yaml');
  });
});
