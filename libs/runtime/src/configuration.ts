import type { Network } from '@tidings/contracts/core/network';
import type { KafkaSettings } from '@tidings/events/kafka/settings';
import { ENVIRONMENT, type ProcessName, type Variable, type VariableName } from './environment-table';
import type { LogLevel } from './environment-values';

export { configurationTable, type ProcessName } from './environment-table';

/** What the environment says, checked. */
export interface Configuration {
  port: number;
  /** Equal to `port` where it was not given. */
  managementPort: number;
  /** Where a management port of its own listens; on every interface when absent. */
  managementHost?: string;
  dataDirectory: string;
  apiKey?: string;
  accountEmail: string;
  /** Of the operators' interface; without it there is none. */
  adminKey?: string;
  smtpUrl?: string;
  databaseUrl?: string;
  adminDatabaseUrl?: string;
  /** Of the services' database roles, as far as they were given. */
  rolePasswords: Partial<Record<'identity' | 'audience' | 'messaging' | 'content', string>>;
  kafka?: KafkaSettings;
  /** 32 bytes each; the first encrypts, all decrypt. */
  secretKeys?: Buffer[];
  /** Not public, and allowed to configured providers all the same. */
  allowedNetworks?: Network[];
  /** How long records of messages are kept. */
  messageRetentionMs: number;
  /** How long histories of messages are kept. */
  historyRetentionMs: number;
  logLevel: LogLevel;
}

/** Everything that is wrong with the environment, in words that never show a secret. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly problems: readonly string[]) {
    super(`The environment is not right:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

type Values = { [Name in VariableName]?: ReturnType<(typeof ENVIRONMENT)[Name]['parse']> };

/** Our own names begin so; one that is not in the table is a mistake somebody made. */
const OWN_PREFIX = 'TIDINGS_';

/** Read by the test run, not by a process; whoever starts processes from tests passes its environment on. */
const TEST_PREFIX = 'TIDINGS_TEST_';

/** Variables that Kubernetes makes in every container for a service called `tidings-…`. */
const SERVICE_LINK = /_(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;
const SERVICE_LINK_URL = /^(tcp|udp|sctp):\/\//;

const SHOWN_CHARACTERS_MAX = 100;

/**
 * Reads the environment for one process. An empty variable is an absent one. Throws `ConfigurationError` with every
 * offending variable at once: unknown, malformed, missing, or without the others it needs.
 */
export function loadConfiguration(processName: ProcessName, environment: NodeJS.ProcessEnv = process.env): Configuration {
  const problems = unknownVariables(environment);
  const values: Partial<Record<VariableName, unknown>> = {};

  for (const [name, variable] of Object.entries(ENVIRONMENT) as [VariableName, Variable][]) {
    const given = environment[name] || undefined;
    const written = given ?? variable.default;
    if (written === undefined) {
      if (variable.requiredBy?.includes(processName)) problems.push(`${name} is missing; ${processName} needs it: ${variable.description}`);
      continue;
    }
    try {
      values[name] = variable.parse(written);
    } catch (error) {
      problems.push(`${name}=${shown(written, variable)} ${(error as Error).message}`);
    }
    const missing = given ? (variable.needs ?? []).filter((other) => !environment[other]) : [];
    if (missing.length > 0) problems.push(`${name} is set without ${missing.join(' and ')}`);
  }

  if (values.TIDINGS_ADMIN_KEY !== undefined && values.TIDINGS_ADMIN_KEY === values.TIDINGS_API_KEY)
    problems.push('TIDINGS_ADMIN_KEY is the same as TIDINGS_API_KEY: a client must not be an operator');
  if (problems.length > 0) throw new ConfigurationError(problems);
  return toConfiguration(values as Values);
}

function toConfiguration(values: Values): Configuration {
  return {
    port: values.PORT!,
    managementPort: values.MANAGEMENT_PORT ?? values.PORT!,
    managementHost: values.MANAGEMENT_HOST,
    dataDirectory: values.TIDINGS_DATA_DIR!,
    apiKey: values.TIDINGS_API_KEY,
    accountEmail: values.TIDINGS_ACCOUNT_EMAIL!,
    adminKey: values.TIDINGS_ADMIN_KEY,
    smtpUrl: values.TIDINGS_SMTP_URL,
    databaseUrl: values.DATABASE_URL,
    adminDatabaseUrl: values.ADMIN_DATABASE_URL,
    rolePasswords: {
      identity: values.IDENTITY_PASSWORD,
      audience: values.AUDIENCE_PASSWORD,
      messaging: values.MESSAGING_PASSWORD,
      content: values.CONTENT_PASSWORD,
    },
    kafka: toKafka(values),
    secretKeys: values.TIDINGS_SECRET_KEY,
    allowedNetworks: values.TIDINGS_ALLOWED_PRIVATE_NETWORKS,
    messageRetentionMs: values.TIDINGS_MESSAGE_RETENTION!,
    historyRetentionMs: values.TIDINGS_HISTORY_RETENTION!,
    logLevel: values.LOG_LEVEL!,
  };
}

function toKafka(values: Values): KafkaSettings | undefined {
  const { KAFKA_BROKERS: brokers, KAFKA_TLS_CA: ca, KAFKA_TLS_CERT: cert, KAFKA_TLS_KEY: key } = values;
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = values;
  if (!brokers) return undefined;
  return {
    brokers,
    topicPrefix: values.KAFKA_TOPIC_PREFIX!,
    tls: ca === undefined ? undefined : { ca, certificate: cert && key ? { cert, key } : undefined },
    sasl: mechanism && username && password ? { mechanism, username, password } : undefined,
  };
}

function shown(value: string, { secret }: Variable): string {
  if (secret) return '(not shown)';
  return JSON.stringify(value.length > SHOWN_CHARACTERS_MAX ? `${value.slice(0, SHOWN_CHARACTERS_MAX)}…` : value);
}

function unknownVariables(environment: NodeJS.ProcessEnv): string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (!name.startsWith(OWN_PREFIX) || name in ENVIRONMENT || name.startsWith(TEST_PREFIX)) return [];
    if (SERVICE_LINK.test(name) || SERVICE_LINK_URL.test(value ?? '')) return [];
    return [`${name} is not known; the nearest name is ${nearestName(name)}`];
  });
}

function nearestName(name: string): string {
  const distances = Object.keys(ENVIRONMENT).map((known) => ({ known, distance: editDistance(name, known) }));
  return distances.reduce((best, next) => (next.distance < best.distance ? next : best)).known;
}

/** How many characters have to be added, removed or replaced to make `to` of `from`. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [i, character] of [...from].entries()) {
    const next = [i + 1];
    for (let column = 1; column <= to.length; column++) {
      const replaced = row[column - 1]! + (character === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[column]! + 1, next[column - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
