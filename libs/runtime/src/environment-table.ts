import type { ServiceName } from '@tidings/contracts/core/operation';
import { SASL_MECHANISMS } from '@tidings/kafka/settings';
import {
  adminKey,
  adminKeys,
  apiKey,
  brokers,
  dkimKey,
  dkimSelector,
  duration,
  emailAddress,
  gatewayUrl,
  ipAddress,
  logLevel,
  mailDomain,
  mailDomains,
  networks,
  oneOf,
  origins,
  password,
  port,
  postgresUrl,
  rate,
  readableFile,
  rpcSecrets,
  secretKeys,
  smtpUrl,
  text,
  topicPrefix,
} from './environment-values';

/** Kinds of processes; `migrate` and `kafka-access` run once and end. */
export type ProcessName = ServiceName | 'standalone' | 'migrate' | 'kafka-access';

const ALL: readonly ProcessName[] = ['standalone', 'gateway', 'identity', 'audience', 'messaging', 'content'];
const OWNERS: readonly ProcessName[] = ['identity', 'audience', 'messaging', 'content'];
const DISTRIBUTED: readonly ProcessName[] = ['gateway', ...OWNERS];
const KAFKA_CLIENTS: readonly ProcessName[] = [...DISTRIBUTED, 'kafka-access'];

/** A variable of the environment: its meaning, its readers, its valid values. */
export interface Variable<Value = unknown> {
  /** Converts the text; throws an error whose message completes "NAME=text …". */
  parse(text: string): Value;
  description: string;
  /** Processes that use it. Every process validates it. */
  readBy: readonly ProcessName[];
  /** Text used when the variable is absent. */
  default?: string;
  /** Effect of an absent variable, where no default text exists. */
  absent?: string;
  /** These processes do not start without it. */
  requiredBy?: readonly ProcessName[];
  /** With `NODE_ENV=production`, as in the image, these do not either. */
  requiredInProductionBy?: readonly ProcessName[];
  /** The value is never shown. */
  secret?: boolean;
  /** Variables that must be set with it. */
  needs?: readonly string[];
}

const rolePassword = (service: string): Variable<string> => ({
  parse: password,
  absent: 'the password that the role has',
  readBy: ['migrate'],
  secret: true,
  description: `Password of the database role \`tidings_${service}\`; needed to create the role`,
});

/** Address of a gateway with default settings. */
export const GATEWAY_URL_DEFAULT = 'http://localhost:8080';

/** The complete configuration. docs/configuration.md shows it; every process validates its environment against it. */
export const ENVIRONMENT = {
  PORT: { parse: port, default: '8080', readBy: ['standalone', 'gateway'], description: 'Port of the HTTP interface' },
  TIDINGS_HOST: {
    parse: ipAddress,
    absent: '127.0.0.1; gateway: every interface',
    readBy: ['standalone', 'gateway'],
    description: 'IP address at which `PORT` listens; `0.0.0.0` is every interface, which a standalone in a container needs',
  },
  MANAGEMENT_PORT: {
    parse: port,
    absent: 'the same as `PORT`',
    readBy: ALL,
    description: 'Port of `/health/live`, `/health/ready` and `/metrics`; when it is not `PORT`, `PORT` does not show `/metrics`',
  },
  MANAGEMENT_HOST: {
    parse: ipAddress,
    absent: 'every interface; standalone: the same as `TIDINGS_HOST`; 127.0.0.1 for the apps of `npm run start:kafka`',
    readBy: ALL,
    description: 'IP address at which a `MANAGEMENT_PORT` other than `PORT` listens',
  },
  TIDINGS_DATA_DIR: {
    parse: text,
    default: '.tidings',
    readBy: ['standalone'],
    description: 'Folder of the embedded PostgreSQL, the first API key and all other state. One process at a time',
  },
  TIDINGS_API_KEY: {
    parse: apiKey,
    absent: 'standalone: generated at the first start; identity: no workspace is created',
    readBy: ['standalone', 'identity'],
    secret: true,
    description: 'API key of the first workspace, in addition to those it has: 16 to 200 visible ASCII characters',
  },
  TIDINGS_ACCOUNT_EMAIL: {
    parse: emailAddress,
    default: 'admin@tidings.localhost',
    readBy: ['standalone', 'identity'],
    description: 'E-mail address of the account to which the first workspace belongs',
  },
  TIDINGS_ADMIN_KEY: {
    parse: adminKey,
    absent: "none: the operators' interface is off",
    readBy: ['standalone', 'gateway'],
    secret: true,
    description:
      "Key of operators at `/admin`, used by the operators' commands as well: 32 to 200 visible ASCII characters; no client's key",
  },
  TIDINGS_CORS_ORIGINS: {
    parse: origins,
    absent: "none but the gateway's own",
    readBy: ['standalone', 'gateway'],
    description: 'Origins of pages that may use API keys: `https://app.example.com`, separated by commas',
  },
  TIDINGS_ADMIN_KEYS: {
    parse: adminKeys,
    absent: 'none but `admin`',
    readBy: ['standalone', 'gateway'],
    secret: true,
    description:
      'Keys of operators with names of their own, beside `TIDINGS_ADMIN_KEY`, whose operator is `admin`: `alice:key,bob:key`, keys as there. Audit events show the name',
  },
  TIDINGS_URL: {
    parse: gatewayUrl,
    default: GATEWAY_URL_DEFAULT,
    readBy: [],
    description: "URL of the gateway for the operators' commands",
  },
  TIDINGS_SMTP_URL: {
    parse: smtpUrl,
    absent: 'standalone: the development mailbox',
    readBy: ['standalone', 'messaging'],
    requiredBy: ['messaging'],
    secret: true,
    description: 'Default e-mail provider, `smtp://user:pass@host:port`; `smtps://` for TLS from the first byte',
  },
  TIDINGS_SENDER_DOMAINS: {
    parse: mailDomains,
    absent: 'any domain, with a warning',
    readBy: ['standalone', 'messaging'],
    description:
      'Domains from which workspaces may send with the default e-mail provider, separated by commas, unless `tidings workspaces senders` gave them others; that of its `from` is always one',
  },
  TIDINGS_DKIM_DOMAIN: {
    parse: mailDomain,
    absent: 'mails are not signed',
    readBy: ['standalone', 'messaging'],
    needs: ['TIDINGS_DKIM_SELECTOR', 'TIDINGS_DKIM_PRIVATE_KEY'],
    description: 'Domain that signs the mails of the default e-mail provider (DKIM)',
  },
  TIDINGS_DKIM_SELECTOR: {
    parse: dkimSelector,
    absent: 'mails are not signed',
    readBy: ['standalone', 'messaging'],
    needs: ['TIDINGS_DKIM_DOMAIN'],
    description: 'Selector of the key: its public part is at `<selector>._domainkey.<domain>`',
  },
  TIDINGS_DKIM_PRIVATE_KEY: {
    parse: dkimKey,
    absent: 'mails are not signed',
    readBy: ['standalone', 'messaging'],
    secret: true,
    needs: ['TIDINGS_DKIM_DOMAIN'],
    description: 'RSA key in PEM, 1024 to 4096 bits',
  },
  DATABASE_URL: {
    parse: postgresUrl,
    absent: 'standalone: the embedded PostgreSQL',
    readBy: ['standalone', ...OWNERS],
    requiredBy: OWNERS,
    secret: true,
    description:
      "`postgresql://user:pass@host:port/database` of the service's own role; for standalone, of a role that may create schemas and roles",
  },
  ADMIN_DATABASE_URL: {
    parse: postgresUrl,
    absent: 'the value of `--admin-url`',
    readBy: ['migrate'],
    requiredBy: ['migrate'],
    secret: true,
    description: '`postgresql://user:pass@host:port/database` of a role that may create schemas and roles (or `--admin-url`)',
  },
  IDENTITY_PASSWORD: rolePassword('identity'),
  AUDIENCE_PASSWORD: rolePassword('audience'),
  MESSAGING_PASSWORD: rolePassword('messaging'),
  CONTENT_PASSWORD: rolePassword('content'),
  KAFKA_BROKERS: {
    parse: brokers,
    absent: 'none',
    readBy: KAFKA_CLIENTS,
    requiredBy: KAFKA_CLIENTS,
    description: 'Bootstrap brokers, `host:port`, separated by commas',
  },
  KAFKA_TLS_CA: {
    parse: readableFile,
    absent: 'no TLS',
    readBy: KAFKA_CLIENTS,
    description: 'PEM file with the CA certificates of the brokers',
  },
  KAFKA_TLS_CERT: {
    parse: readableFile,
    absent: 'no client certificate',
    readBy: KAFKA_CLIENTS,
    needs: ['KAFKA_TLS_CA', 'KAFKA_TLS_KEY'],
    description: 'PEM file with our certificate',
  },
  KAFKA_TLS_KEY: {
    parse: readableFile,
    absent: 'no client certificate',
    readBy: KAFKA_CLIENTS,
    needs: ['KAFKA_TLS_CERT'],
    description: 'PEM file with the key of our certificate',
  },
  KAFKA_SASL_MECHANISM: {
    parse: oneOf(SASL_MECHANISMS),
    absent: 'no SASL',
    readBy: KAFKA_CLIENTS,
    needs: ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'],
    description: SASL_MECHANISMS.map((name) => `\`${name}\``).join(', '),
  },
  KAFKA_SASL_USERNAME: {
    parse: text,
    absent: 'no SASL',
    readBy: KAFKA_CLIENTS,
    needs: ['KAFKA_SASL_MECHANISM'],
    description: 'SASL user',
  },
  KAFKA_SASL_PASSWORD: {
    parse: text,
    absent: 'no SASL',
    readBy: KAFKA_CLIENTS,
    secret: true,
    needs: ['KAFKA_SASL_MECHANISM'],
    description: 'SASL password',
  },
  KAFKA_TOPIC_PREFIX: {
    parse: topicPrefix,
    default: '',
    readBy: KAFKA_CLIENTS,
    description: 'Prefix of every topic name. Existing topics are checked, not created',
  },
  TIDINGS_RPC_SECRET: {
    parse: rpcSecrets,
    absent: 'none',
    readBy: DISTRIBUTED,
    requiredBy: DISTRIBUTED,
    secret: true,
    description:
      'Secret by which processes recognise each other over Kafka, at least 32 characters; several, separated by commas: the first signs, all verify',
  },
  TIDINGS_RPC_UNSIGNED: {
    parse: oneOf(['accept']),
    absent: 'records without a signature are refused',
    readBy: KAFKA_CLIENTS,
    description: '`accept`, during the upgrade from a version that did not sign: records without a signature are accepted too',
  },
  TIDINGS_SECRET_KEY: {
    parse: secretKeys,
    absent: 'standalone: drawn at the first start; others: none, stored secrets are not encrypted',
    readBy: ['standalone', 'gateway', 'identity', 'messaging', 'content'],
    requiredInProductionBy: ['gateway', 'identity', 'messaging', 'content'],
    secret: true,
    description: '32 bytes in base64 or hex that encrypt stored secrets; several, separated by commas: the first encrypts, all decrypt',
  },
  TIDINGS_RATE_LIMIT: {
    parse: rate,
    absent: 'none',
    readBy: ['standalone', 'identity'],
    description: 'Requests of each workspace without a rate of its own: a number and a period, `50/s`, `600/m` or `1000/h`',
  },
  TIDINGS_ALLOWED_PRIVATE_NETWORKS: {
    parse: networks,
    absent: 'none: configured providers reach public addresses only',
    readBy: ['standalone', 'messaging'],
    description: 'Private networks that configured providers may connect to: `10.1.0.0/16`, separated by commas',
  },
  TIDINGS_MESSAGE_RETENTION: {
    parse: duration('15d', '20y'),
    default: '1y',
    readBy: ['standalone', 'messaging'],
    description: 'Retention of message records, to the week: a number and a unit, `15d` to `20y`',
  },
  TIDINGS_HISTORY_RETENTION: {
    parse: duration('1d', '20y'),
    default: '90d',
    readBy: ['standalone', 'messaging'],
    description: 'Retention of the history and the content of messages, to the week, and never longer than their records: `1d` to `20y`',
  },
  LOG_LEVEL: {
    parse: logLevel,
    default: 'info',
    readBy: ALL,
    description: '`fatal`, `error`, `warn`, `info`, `debug` or `trace`',
  },
} satisfies Record<string, Variable>;

export type VariableName = keyof typeof ENVIRONMENT;

/** The table of environment variables in docs/configuration.md, in Markdown. */
export function configurationTable() {
  const rows = Object.entries<Variable>(ENVIRONMENT).map(([name, variable]) => {
    const { default: value, absent, readBy, requiredBy, requiredInProductionBy, description } = variable;
    const processes = readBy.length === ALL.length ? 'all' : readBy.join(', ');
    const fallback = value === undefined ? absent : value === '' ? 'empty' : `\`${value}\``;
    const required = requiredBy
      ? `required by ${DISTRIBUTED.every((one) => requiredBy.includes(one)) ? 'all but standalone' : requiredBy.join(', ')}`
      : undefined;
    const inProduction = requiredInProductionBy && `required with \`NODE_ENV=production\` by ${requiredInProductionBy.join(', ')}`;
    return `| \`${name}\` | ${[fallback, required, inProduction].filter(Boolean).join('; ')} | ${processes} | ${description} |`;
  });
  return ['| Variable | Default | Read by | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
