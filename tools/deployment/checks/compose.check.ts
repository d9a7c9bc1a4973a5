import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { composeConfig, itWith } from '../checking-tools';
import { type Environment, ROLES, type Role, problemsOfDeployment } from '../process-environment';
import { readText } from '../repository';

interface Service {
  image?: string;
  command?: string[];
  environment?: Record<string, string | null>;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
}

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

/** The environments of the processes. */
function environmentsOf(services: Record<string, Service>): Record<Role, Environment> {
  const environments = Object.values(services).flatMap(({ command, environment = {} }) => {
    const role = ROLES.find((one) => one === command?.[0]);
    return role ? [[role, Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value ?? '']))] as const] : [];
  });
  return Object.fromEntries(environments) as Record<Role, Environment>;
}

/** Waits that never end or end too early; Compose itself refuses a wait for a missing service. */
function orderProblems(services: Record<string, Service>): string[] {
  return Object.entries(services).flatMap(([name, { depends_on = {} }]) =>
    Object.entries(depends_on).flatMap(([other, { condition }]) => {
      const { command, healthcheck } = services[other]!;
      const ends = command?.[0] === 'migrate';
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
    expect(JSON.stringify(services)).not.toContain('development');
  });

  itChecks('pins every image to a version', () => {
    const images = Object.values(servicesOf()).map(({ image }) => image!);
    expect(images.filter((image) => !/^tidings:local$|:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$/.test(image))).toEqual([]);
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
    ['no first key', ({ identity }) => delete identity.TIDINGS_API_KEY, 'identity: TIDINGS_API_KEY is missing'],
    ['a malformed value', ({ gateway }) => (gateway.MANAGEMENT_PORT = 'http'), /gateway: MANAGEMENT_PORT="http" is not a port/],
    ['a role without password', ({ migrate }) => delete migrate.CONTENT_PASSWORD, 'migrate: CONTENT_PASSWORD is missing'],
    ['another password', ({ migrate }) => (migrate.CONTENT_PASSWORD = 'x'), /content: DATABASE_URL does not have the password of CONTENT_/],
    [
      "another service's role",
      (all) => (all.content.DATABASE_URL = all.audience.DATABASE_URL!),
      'content: DATABASE_URL does not name the role tidings_content',
    ],
    [
      'another database',
      ({ audience }) => (audience.DATABASE_URL = audience.DATABASE_URL!.replace(/\/tidings\b/, '/other')),
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
