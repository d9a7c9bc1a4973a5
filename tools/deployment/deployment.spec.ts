import { environmentsOf, orderProblems, readCompose } from './compose';
import { DockerIgnore } from './docker-ignore';
import { type Environment, type Role, problemsOfDeployment } from './process-environment';
import { imageEnvironment, readText } from './repository';

const composeText = readText('docker-compose.yml');

describe('docker-compose.yml', () => {
  it('configures every process, without unknown variables, when no variable is set', () => {
    expect(problemsOfDeployment(environmentsOf(readCompose(composeText), imageEnvironment()))).toEqual([]);
  });

  it('reads passwords, key and mail server from the environment, equal for client and server', () => {
    const variables = {
      IDENTITY_PASSWORD: 'one',
      AUDIENCE_PASSWORD: 'two',
      MESSAGING_PASSWORD: 'three',
      CONTENT_PASSWORD: 'four',
      POSTGRES_PASSWORD: 'five',
      TIDINGS_API_KEY: 'pk_prod_0123456789',
      TIDINGS_SMTP_URL: 'smtps://user:pass@mail.example.com',
    };
    const environments = environmentsOf(readCompose(composeText, variables), imageEnvironment());
    expect(problemsOfDeployment(environments)).toEqual([]);
    expect(JSON.stringify(readCompose(composeText, variables))).not.toContain('development');
  });

  it('starts every service after its dependencies', () => {
    expect(orderProblems(readCompose(composeText))).toEqual([]);
  });

  it('pins every image to a version', () => {
    const images = Object.values(readCompose(composeText).services).map(({ image }) => image!);
    expect(images.filter((image) => !/^tidings:local$|:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$/.test(image))).toEqual([]);
  });
});

describe('a wrong deployment', () => {
  const sound = (): Record<Role, Environment> => environmentsOf(readCompose(composeText), imageEnvironment()) as Record<Role, Environment>;

  it.each<[string, (environments: Record<Role, Environment>) => void, string | RegExp]>([
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
      ({ audience }) => (audience.DATABASE_URL = audience.DATABASE_URL!.replace(/\/tidings$/, '/other')),
      'audience: DATABASE_URL is not the database that migrate prepares',
    ],
    ['a process left out', (all) => delete (all as Partial<typeof all>).audience, 'audience: is not deployed'],
  ])('is reported: %s', (_, damage, problem) => {
    const environments = sound();
    damage(environments);
    expect(problemsOfDeployment(environments)).toContainEqual(typeof problem === 'string' ? problem : expect.stringMatching(problem));
  });

  it('is refused: a variable without default', () => {
    expect(() => readCompose(composeText.replace('${LOG_LEVEL:-info}', '${LOG_LEVEL}'))).toThrow(/LOG_LEVEL.* has no default/);
  });

  it.each([
    ['the health of a job that ends', 'migrate: { condition: service_completed_successfully }', 'migrate: { condition: service_healthy }'],
    ['the health of a service without a check', '      start_interval: 3s', '      disable: true\n      test:'],
    ['a missing service', '      identity: { condition', '      identities: { condition'],
  ])('is reported: it waits for %s', (_, part, damaged) => {
    const text = composeText
      .replace(part, damaged)
      .replace(/( {6}test: \['CMD', '\/opt\/kafka.*\n)/, damaged.includes('disable') ? '' : '$1');
    expect(text).not.toBe(composeText);
    expect(orderProblems(readCompose(text))).not.toEqual([]);
  });
});

describe('.dockerignore', () => {
  const ignore = new DockerIgnore(readText('.dockerignore'));

  it('admits the files that the build reads', () => {
    const needed = [
      'package-lock.json',
      '.npmrc',
      'bin/tidings.mjs',
      'apps/gateway/src/main.ts',
      'libs/events/package.json',
      'bench/package.json',
    ];
    expect(needed.filter((file) => ignore.ignores(file))).toEqual([]);
  });

  it('excludes secrets, data, build output and tests', () => {
    const excluded = [
      '.env',
      '.tidings/keys',
      '.git/config',
      'apps/gateway/dist/main.js',
      'libs/rpc/node_modules/x',
      'libs/rpc/src/a.spec.ts',
      'docs/a.md',
    ];
    expect(excluded.filter((file) => !ignore.ignores(file))).toEqual([]);
  });

  it.each(['a[bc]', '!**/secret'])('is refused when this check reads it differently from Docker: %s', (line) => {
    expect(() => new DockerIgnore(line)).toThrow('.dockerignore');
  });
});
