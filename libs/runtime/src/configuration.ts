import { readFileSync } from 'node:fs';
import { nearestName } from '@tidings/contracts/core/nearest';
import type { DkimSettings } from '@tidings/contracts/messaging/dkim';
import type { DatabaseSettings } from '@tidings/persistence/connection';
import { ENVIRONMENT, type ProcessName, type Values, type Variable, type VariableName } from './environment-table';
import { kafkaProblems, toKafka, toSigning } from './kafka-configuration';
import { toOidc } from './oidc-configuration';
import { toTracing } from './tracing-configuration';

export { configurationTable, type ProcessName } from './environment-table';

/** The validated environment of a process. */
export type Configuration = ReturnType<typeof toConfiguration>;

/** Lists every invalid variable of the environment; its message never contains a secret. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly problems: readonly string[]) {
    super(`Invalid environment:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/** Whether the log has lines of level `debug`. */
export function isDebugging({ logLevel }: Pick<Configuration, 'logLevel'>): boolean {
  return logLevel === 'debug' || logLevel === 'trace';
}

const SECRETS = Object.entries<Variable>(ENVIRONMENT).flatMap(([name, { secret }]) => (secret ? [name] : []));

/** Prefix of Tidings' own variables; one that is missing in the table is refused as misspelled. */
const OWN_PREFIX = 'TIDINGS_';

/** Variables of the test run. Processes ignore them: tests pass their whole environment on. */
const TEST_PREFIX = 'TIDINGS_TEST_';

/** Variables that Kubernetes sets in every container for a service named `tidings-…`. */
const SERVICE_LINK = /_(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;
const SERVICE_LINK_URL = /^(tcp|udp|sctp):\/\//;

/** Ending of the variable that names the file of a secret. */
const FILE_SUFFIX = '_FILE';

const SHOWN_CHARACTERS_MAX = 100;

/**
 * Reads the environment of one process. An empty variable counts as absent. A secret may be in a file, which `NAME_FILE` names.
 * @throws ConfigurationError naming every invalid variable: unknown, malformed, missing, or set without the others it needs.
 */
export function loadConfiguration(processName: ProcessName, given: NodeJS.ProcessEnv = process.env): Configuration {
  const problems = unknownVariables(given);
  const environment = withSecretFiles(given, problems);
  const values: Partial<Record<VariableName, unknown>> = {};

  for (const [name, variable] of Object.entries(ENVIRONMENT) as [VariableName, Variable][]) {
    const set = environment[name] || undefined;
    const text = set ?? variable.default;
    if (text === undefined) {
      if (isRequired(variable, processName, given)) problems.push(`${name} is missing; ${processName} needs it: ${variable.description}`);
      continue;
    }
    try {
      values[name] = variable.parse(text);
    } catch (error) {
      problems.push(`${name}=${shown(text, variable)} ${(error as Error).message}`);
    }
    const missing = set ? (variable.needs ?? []).filter((other) => !environment[other]) : [];
    if (missing.length > 0) problems.push(`${name} is set without ${missing.join(' and ')}`);
  }

  problems.push(...operatorProblems(values as Values), ...poolerProblems(values as Values), ...kafkaProblems(values as Values));
  if (problems.length > 0) throw new ConfigurationError(problems);
  return toConfiguration(processName, values as Values);
}

function isRequired({ requiredBy, requiredInProductionBy }: Variable, processName: ProcessName, environment: NodeJS.ProcessEnv) {
  if (requiredBy?.includes(processName)) return true;
  return environment.NODE_ENV === 'production' && requiredInProductionBy?.includes(processName) === true;
}

/** Where a standalone listens: it is for one machine, until its operator says otherwise. */
const LOOPBACK = '127.0.0.1';

function toConfiguration(processName: ProcessName, values: Values) {
  const standaloneHost = processName === 'standalone' ? (values.TIDINGS_HOST ?? LOOPBACK) : undefined;
  return {
    port: values.PORT!,
    /** IP address at which `port` listens. Default: every interface. */
    host: values.TIDINGS_HOST ?? standaloneHost,
    managementPort: values.MANAGEMENT_PORT ?? values.PORT!,
    /** IP address of a management port other than `port`. Default: every interface. */
    managementHost: values.MANAGEMENT_HOST ?? standaloneHost,
    dataDirectory: values.TIDINGS_DATA_DIR!,
    apiKey: values.TIDINGS_API_KEY,
    accountEmail: values.TIDINGS_ACCOUNT_EMAIL!,
    /** Key of the operator `admin`; without any operator the operators' interface is off. */
    adminKey: values.TIDINGS_ADMIN_KEY,
    /** Origins of pages that may use API keys, beside the gateway's own. */
    corsOrigins: values.TIDINGS_CORS_ORIGINS,
    /** Address of the gateway for others, without a slash at its end. */
    publicUrl: values.TIDINGS_PUBLIC_URL,
    /** Address of the gateway for users of the console, without a slash at its end. */
    consoleUrl: values.TIDINGS_CONSOLE_URL ?? values.TIDINGS_PUBLIC_URL,
    /** Undefined: people sign in with keys alone. */
    oidc: toOidc(values),
    /** Keys of further operators. */
    adminKeys: values.TIDINGS_ADMIN_KEYS ?? [],
    smtpUrl: values.TIDINGS_SMTP_URL,
    /** HTTP server of the development mailbox to which `smtpUrl` leads. */
    mailboxUrl: values.TIDINGS_MAILBOX_URL,
    /** Domains from which workspaces may send with the default e-mail provider; undefined: any. */
    senderDomains: values.TIDINGS_SENDER_DOMAINS,
    /** Shares of bounces and complaints above which a provider is paused; undefined: never. */
    bounceLimits: { bounces: values.TIDINGS_BOUNCE_LIMIT, complaints: values.TIDINGS_COMPLAINT_LIMIT },
    /** Domain of return paths of the default e-mail provider, and the port at which its mails are received. */
    bounceDomain: values.TIDINGS_BOUNCE_DOMAIN,
    bouncePort: values.TIDINGS_BOUNCE_PORT,
    /** How mails of the default e-mail provider are signed. */
    dkim: toDkim(values),
    databaseUrl: withCa(values, values.DATABASE_URL),
    /** How services connect to it. */
    database: toDatabase(values),
    adminDatabaseUrl: withCa(values, values.ADMIN_DATABASE_URL),
    /** Passwords of the services' database roles, where set. */
    rolePasswords: {
      identity: values.IDENTITY_PASSWORD,
      audience: values.AUDIENCE_PASSWORD,
      messaging: values.MESSAGING_PASSWORD,
      content: values.CONTENT_PASSWORD,
    },
    kafka: toKafka(processName, values),
    /** How records in Kafka are signed. */
    signing: toSigning(values),
    /** 32 bytes each; the first encrypts, all decrypt. */
    secretKeys: values.TIDINGS_SECRET_KEY,
    /** Rate of workspaces without one of their own: `50/s`. */
    rateLimit: values.TIDINGS_RATE_LIMIT,
    /** Private networks that configured providers may connect to. */
    allowedNetworks: values.TIDINGS_ALLOWED_PRIVATE_NETWORKS,
    /** Retention of message records. */
    messageRetentionMs: values.TIDINGS_MESSAGE_RETENTION!,
    /** Retention of message histories. */
    historyRetentionMs: values.TIDINGS_HISTORY_RETENTION!,
    logLevel: values.LOG_LEVEL!,
    /** Undefined: nothing is traced. */
    tracing: toTracing(values),
  };
}

function toDatabase(values: Values): DatabaseSettings {
  return {
    directUrl: withCa(values, values.DATABASE_DIRECT_URL),
    poolSize: values.DATABASE_POOL_SIZE!,
    isTransactionPooled: values.DATABASE_POOLER === 'transaction',
    migrate: values.TIDINGS_MIGRATE!,
  };
}

/** Values of `sslmode` that an operator sets for a server that is trusted, such as a pooler beside the process. */
const TRUSTING = ['disable', 'no-verify'];

/** The driver reads the file of the URL at each connection, so that a renewed one counts. */
function withCa({ DATABASE_CA_FILE: file }: Values, text: string | undefined) {
  if (text === undefined || file === undefined) return text;
  const url = new URL(text);
  url.searchParams.set('sslrootcert', file);
  if (!TRUSTING.includes(url.searchParams.get('sslmode') ?? '')) url.searchParams.set('sslmode', 'verify-full');
  return url.href;
}

function toDkim(values: Values): DkimSettings | undefined {
  const { TIDINGS_DKIM_DOMAIN: domain, TIDINGS_DKIM_SELECTOR: selector, TIDINGS_DKIM_PRIVATE_KEY: privateKey } = values;
  return domain && selector && privateKey ? { domain, selector, privateKey } : undefined;
}

function operatorProblems({ TIDINGS_ADMIN_KEY: key, TIDINGS_ADMIN_KEYS: others = [], TIDINGS_API_KEY: apiKey }: Values): string[] {
  const isClient = 'is the same as TIDINGS_API_KEY: a client must not be an operator';
  return [
    ...(key !== undefined && key === apiKey ? [`TIDINGS_ADMIN_KEY ${isClient}`] : []),
    ...others.filter((one) => one.key === apiKey).map(({ name }) => `TIDINGS_ADMIN_KEYS: the key of ${name} ${isClient}`),
    ...others.filter((one) => one.key === key).map(({ name }) => `TIDINGS_ADMIN_KEYS: the key of ${name} is TIDINGS_ADMIN_KEY`),
    ...(key !== undefined && others.some(({ name }) => name === 'admin')
      ? ['TIDINGS_ADMIN_KEYS has an operator named admin, who is the operator of TIDINGS_ADMIN_KEY']
      : []),
  ];
}

function poolerProblems({ DATABASE_POOLER: mode, DATABASE_DIRECT_URL: direct }: Values): string[] {
  const needsDirect = mode === 'transaction' && direct === undefined;
  return needsDirect ? ['DATABASE_POOLER=transaction is set without DATABASE_DIRECT_URL'] : [];
}

function shown(value: string, { secret }: Variable) {
  if (secret) return '(not shown)';
  return JSON.stringify(value.length > SHOWN_CHARACTERS_MAX ? `${value.slice(0, SHOWN_CHARACTERS_MAX)}…` : value);
}

function unknownVariables(environment: NodeJS.ProcessEnv) {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (!name.startsWith(OWN_PREFIX) || name in ENVIRONMENT || name.startsWith(TEST_PREFIX)) return [];
    if (name.endsWith(FILE_SUFFIX) && SECRETS.includes(name.slice(0, -FILE_SUFFIX.length))) return [];
    if (SERVICE_LINK.test(name) || SERVICE_LINK_URL.test(value ?? '')) return [];
    return [`${name} is not known; the nearest name is ${nearestName(name, Object.keys(ENVIRONMENT))}`];
  });
}

/** The environment with the secrets in files; adds to `problems` the files that cannot be read. */
export function withSecretFiles(environment: NodeJS.ProcessEnv, problems: string[] = []): NodeJS.ProcessEnv {
  const secrets: NodeJS.ProcessEnv = {};
  for (const name of SECRETS) {
    const file = environment[`${name}${FILE_SUFFIX}`];
    if (!file) continue;
    if (environment[name]) problems.push(`${name} and ${name}${FILE_SUFFIX} are both set: set one of them`);
    try {
      // Editors and commands end a file with a line break.
      secrets[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
      if (!secrets[name]) problems.push(`${name}${FILE_SUFFIX}=${JSON.stringify(file)} is empty`);
    } catch (error) {
      problems.push(
        `${name}${FILE_SUFFIX}=${JSON.stringify(file)} is not a file that can be read (${(error as NodeJS.ErrnoException).code})`,
      );
    }
  }
  return { ...environment, ...secrets };
}
