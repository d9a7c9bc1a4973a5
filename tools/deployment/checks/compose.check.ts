import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { itWith } from '@tidings/testing/installed-tools';
import { composeConfig } from '../checking-tools';
import { problemsOfBroker, problemsOfPrincipals, usersOf } from '../kafka-broker';
import { type Environment, ROLES, type Role, problemsOfDeployment } from '../process-environment';
import { readText, root } from '../repository';

interface Service {
  image?: string;
  command?: string[];
  environment?: Record<string, string | null>;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
  restart?: string;
  volumes?: { source: string; target: string; read_only?: boolean }[];
}

/** Where containers have the secrets that the service `secrets` draws. */
const SECRETS = '/run/tidings';
const OWNER_ONLY = 0o600;

const itChecks = itWith(composeConfig);
const composeText = readText('docker-compose.yml');

function load(text = composeText, variables: Environment = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidings-compose-'));
  try {
    const file = path.join(folder, 'docker-compose.yml');
    writeFileSync(file, text);
    return composeConfig.run([file], variables);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The services as Compose understands them. */
function servicesOf(text?: string, variables?: Environment): Record<string, Service> {
  const { status, stdout, stderr } = load(text, variables);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return (JSON.parse(stdout) as { services: Record<string, Service> }).services;
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tidings-secrets-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Draws the secrets into `folder`, as the service `secrets` does into its volumes. */
function drawSecrets({ secrets }: Record<string, Service>) {
  for (const { target } of secrets!.volumes ?? []) mkdirSync(inFolder(target), { recursive: true });
  const { status, stderr } = spawnSync(process.execPath, [path.join(root, 'tools/deployment/draw-secrets.mjs'), folder], {
    env: valuesOf(secrets!),
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
}

/** The environments of the processes, whose files are in `folder`. */
function environmentsOf(services: Record<string, Service>): Record<Role, Environment> {
  drawSecrets(services);
  const environments = Object.values(services).flatMap((service) => {
    const role = ROLES.find((one) => one === service.command?.[0]);
    return role ? [[role, valuesOf(service)] as const] : [];
  });
  return Object.fromEntries(environments) as Record<Role, Environment>;
}

function valuesOf({ environment = {} }: Service): Environment {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, inFolder(value ?? '')]));
}

function inFolder(text: string) {
  return text.startsWith(`${SECRETS}/`) ? path.join(folder, text.slice(SECRETS.length)) : text;
}

/** The drawn secrets by their file's path in `folder`. */
function drawnSecrets(): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => statSync(path.join(folder, file)).isFile());
  return Object.fromEntries(files.map((file) => [file, readFileSync(path.join(folder, file), 'utf8').trim()]));
}

/** Kafka's users with their passwords, as drawn for the reference that its settings have. */
function kafkaUsers({ kafka }: Record<string, Service>): Record<string, string> {
  const modules = Object.entries(kafka!.environment!).filter(([name]) => name.endsWith('_SASL_JAAS_CONFIG'));
  const files = modules.map(([, value]) => /^\$\{directory:(.+):(\w+)\}$/.exec(value!)!.slice(1).join('/'));
  expect(new Set(files).size).toBe(1); // of all listeners
  return usersOf(readFileSync(inFolder(files[0]!), 'utf8'));
}

/** Waits that never end or end too early; Compose itself refuses a wait for a missing service. */
function orderProblems(services: Record<string, Service>): string[] {
  return Object.entries(services).flatMap(([name, { depends_on = {} }]) =>
    Object.entries(depends_on).flatMap(([other, { condition }]) => {
      const { restart, healthcheck } = services[other]!;
      const ends = restart === 'no';
      if (ends !== (condition === 'service_completed_successfully')) return [`${name} waits for ${other} to be ${condition}`];
      if (!ends && !healthcheck?.test) return [`${name} waits for the health of ${other}, which has no check`];
      return [];
    }),
  );
}

describe('docker-compose.yml', () => {
  itChecks('is valid for Compose, configures every process when no variable is set, and starts them in order', () => {
    const services = servicesOf();
    expect(problemsOfDeployment(environmentsOf(services))).toEqual([]);
    expect(orderProblems(services)).toEqual([]);
  });

  itChecks('gives each process a principal of its own in Kafka, with a password that no other has', () => {
    const services = servicesOf();
    const environments = environmentsOf(services);
    const users = kafkaUsers(services);
    expect(problemsOfPrincipals(environments, users)).toEqual([]);
    expect(problemsOfBroker(valuesOf(services.kafka!))).toEqual([]);
    expect(new Set(Object.values(users)).size).toBe(7); // of five processes, of kafka-access, and of a reader of the history
  });

  itChecks("quotes the users' passwords as Kafka reads them", () => {
    const services = servicesOf(composeText, { KAFKA_CONTENT_PASSWORD: 'a "b" \\c' });
    expect(problemsOfPrincipals(environmentsOf(services), kafkaUsers(services))).toEqual([]);
    expect(kafkaUsers(services)['tidings-content']).toBe('a "b" \\c');
  });

  itChecks('publishes no secret: it draws each one once, for the services that read it', () => {
    const services = servicesOf();
    const files = Object.values(services).flatMap(({ environment = {} }) =>
      Object.values(environment).filter((value) => value?.startsWith(SECRETS)),
    );
    // Kafka's own settings refer to it, and a person reads the other.
    files.push(`${SECRETS}/kafka/SASL_USERS`, `${SECRETS}/kafka/KAFKA_READER_PASSWORD`);
    expect(composeText).not.toMatch(/(PASSWORD|SECRET|KEY)\w*: *\$\{\w+:-[^}]/);

    drawSecrets(services);
    const drawn = drawnSecrets();
    drawSecrets(services);

    expect(drawnSecrets()).toEqual(drawn);
    expect(
      Object.keys(drawn)
        .map((file) => `${SECRETS}/${file}`)
        .sort(),
    ).toEqual(files.sort());
    expect(Object.keys(drawn).filter((file) => (statSync(path.join(folder, file)).mode & 0o777) !== OWNER_ONLY)).toEqual([]);
    // Of fifteen secrets; URLs contain a password, Kafka's users several, and some secrets have several readers.
    const values = Object.entries(drawn).flatMap(([file, value]) => {
      if (file.endsWith('SASL_USERS')) return Object.values(usersOf(value));
      return file.endsWith('DATABASE_URL') ? new URL(value).password : value;
    });
    expect(new Set(values).size).toBe(15);
    for (const [name, { volumes = [] }] of Object.entries(services)) {
      const mounted = volumes.filter(({ target }) => target.startsWith(SECRETS));
      if (name !== 'secrets') expect(mounted.filter(({ target, read_only }) => target !== `${SECRETS}/${name}` || !read_only)).toEqual([]);
      else for (const { source, target } of mounted) expect(source).toBe(`${path.basename(target)}-secrets`);
    }
  });

  itChecks('changes the secrets that the environment sets, and retains them', () => {
    drawSecrets(servicesOf());
    const drawn = drawnSecrets();
    const rotated = `${'x'.repeat(32)},${drawn['gateway/TIDINGS_RPC_SECRET']}`;
    drawSecrets(servicesOf(composeText, { TIDINGS_RPC_SECRET: rotated, CONTENT_PASSWORD: 'p@ss' }));
    drawSecrets(servicesOf());

    expect(drawnSecrets()).toEqual({
      ...Object.fromEntries(Object.entries(drawn).map(([file, value]) => [file, file.endsWith('TIDINGS_RPC_SECRET') ? rotated : value])),
      'migrate/CONTENT_PASSWORD': 'p@ss',
      'content/DATABASE_URL': 'postgresql://tidings_content:p%40ss@postgres:5432/tidings',
    });
  });

  itChecks('reads passwords, key and mail server from the environment, equal for client and server', () => {
    const services = servicesOf(composeText, {
      IDENTITY_PASSWORD: 'one',
      AUDIENCE_PASSWORD: 'two',
      MESSAGING_PASSWORD: 'three',
      CONTENT_PASSWORD: 'four',
      POSTGRES_PASSWORD: 'five',
      TIDINGS_API_KEY: 'pk_prod_0123456789',
      TIDINGS_SMTP_URL: 'smtps://user:pass@mail.example.com',
    });
    expect(problemsOfDeployment(environmentsOf(services))).toEqual([]);
    expect(drawnSecrets()).toMatchObject({
      'postgres/POSTGRES_PASSWORD': 'five',
      'identity/TIDINGS_API_KEY': 'pk_prod_0123456789',
      'migrate/IDENTITY_PASSWORD': 'one',
    });
  });

  itChecks('pins every image to a version, and to the digest where one is on record', () => {
    const images = Object.values(servicesOf()).map(({ image }) => image!);
    expect(images.filter((image) => !/^tidings:local$|:v?\d+\.\d+(\.\d+)?(-[a-z]+)?(@sha256:[0-9a-f]{64})?$/.test(image))).toEqual([]);
    const [kafka] = /apache\/kafka:\S+/.exec(readText('k8s/overlays/dev/kafka.yaml'))!;
    expect(images.filter((image) => image.includes('@'))).toEqual([kafka]);
  });

  const refused = [
    ['an unknown key', 'stop_grace_period:', 'stop_grace_time:', /stop_grace_time/],
    ['a wait for a missing service', 'identity: { condition', 'identities: { condition', /identities/],
    ['an invalid duration', 'interval: 5s', 'interval: often', /often/],
    ['a variable without default', '${LOG_LEVEL:-info}', '${LOG_LEVEL}', /LOG_LEVEL.* is not set/],
  ] as const;
  for (const [what, part, damaged, reason] of refused) {
    itChecks(`is refused with ${what}`, () => {
      const { stderr } = load(composeText.replace(part, damaged));
      expect(stderr).toMatch(reason);
    });
  }

  const outOfOrder = [
    ['the health of a job that ends', 'migrate: { condition: service_completed_successfully }', 'migrate: { condition: service_healthy }'],
    ['the health of a service without a check', /healthcheck:\n {6}test: \['CMD', '\/opt\/kafka[^\n]*(\n {6}[^\n]*)*/, 'tty: false'],
  ] as const;
  for (const [what, part, damaged] of outOfOrder) {
    itChecks(`is reported: it waits for ${what}`, () => {
      expect(orderProblems(servicesOf(composeText.replace(part, damaged)))).not.toEqual([]);
    });
  }

  const wrong: [string, (environments: Record<Role, Environment>) => void, string | RegExp][] = [
    ['a name misspelt', ({ identity }) => (identity.TIDINGS_API_KAY = 'x'), /identity: TIDINGS_API_KAY is not known; the nearest name/],
    ['an unknown variable', ({ content }) => (content.DATABASE_POOL = '5'), 'content: DATABASE_POOL is not read by this process'],
    ['a variable of another process', ({ audience }) => (audience.PORT = '8080'), 'audience: PORT is not read by this process'],
    ['no brokers', ({ gateway }) => delete gateway.KAFKA_BROKERS, /gateway: KAFKA_BROKERS is missing/],
    ['no mail server', ({ messaging }) => delete messaging.TIDINGS_SMTP_URL, /messaging: TIDINGS_SMTP_URL is missing/],
    ['no first key', ({ identity }) => delete identity.TIDINGS_API_KEY_FILE, 'identity: TIDINGS_API_KEY is missing'],
    ['no secret of the processes', ({ gateway }) => delete gateway.TIDINGS_RPC_SECRET_FILE, /gateway: TIDINGS_RPC_SECRET is missing/],
    [
      'another secret of the processes',
      (all) => Object.assign(all.content, { TIDINGS_RPC_SECRET_FILE: '', TIDINGS_RPC_SECRET: 'x'.repeat(32) }),
      'content: TIDINGS_RPC_SECRET is not that of gateway',
    ],
    ['a malformed value', ({ gateway }) => (gateway.MANAGEMENT_PORT = 'http'), /gateway: MANAGEMENT_PORT="http" is not a port/],
    ['a role without password', ({ migrate }) => delete migrate.CONTENT_PASSWORD_FILE, 'migrate: CONTENT_PASSWORD is missing'],
    [
      'another password',
      ({ migrate }) => Object.assign(migrate, { CONTENT_PASSWORD_FILE: '', CONTENT_PASSWORD: 'x' }),
      /content: DATABASE_URL does not have the password of CONTENT_/,
    ],
    [
      "another service's role",
      (all) => (all.content.DATABASE_URL_FILE = all.audience.DATABASE_URL_FILE!),
      'content: DATABASE_URL does not name the role tidings_content',
    ],
    [
      'another database',
      ({ audience }) => {
        const url = readFileSync(audience.DATABASE_URL_FILE!, 'utf8').replace(/\/tidings\b/, '/other');
        Object.assign(audience, { DATABASE_URL_FILE: '', DATABASE_URL: url.trim() });
      },
      'audience: DATABASE_URL is not the database that migrate prepares',
    ],
    ['a process left out', (all) => delete (all as Partial<typeof all>).audience, 'audience: is not deployed'],
  ];
  itChecks('is reported with wrong variables', () => {
    const sound = environmentsOf(servicesOf());
    for (const [what, damage, problem] of wrong) {
      const environments = structuredClone(sound);
      damage(environments);
      const expected: unknown = typeof problem === 'string' ? problem : expect.stringMatching(problem);
      expect({ what, problems: problemsOfDeployment(environments) }).toEqual({
        what,
        problems: expect.arrayContaining([expected]) as unknown,
      });
    }
  });
});
