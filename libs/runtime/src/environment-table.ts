import { ALL, DISTRIBUTED, OWNERS, type Variable } from './environment-variable';
import { KAFKA_ENVIRONMENT } from './kafka-environment';
import { OIDC_ENVIRONMENT } from './oidc-environment';
import { OTEL_VARIABLES } from './otel-variables';
import {
  adminKey,
  adminKeys,
  apiKey,
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
  percentOrOff,
  origins,
  password,
  port,
  postgresUrl,
  publicUrl,
  rate,
  readableFile,
  secretKeys,
  smtpUrl,
  text,
  wholeNumber,
} from './environment-values';

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
  TIDINGS_PUBLIC_URL: {
    parse: publicUrl,
    absent: 'none: messages have no links to unsubscribe, and vendors get no address for their reports',
    readBy: ['standalone', 'gateway', 'messaging'],
    description:
      'Address of the gateway for others, `https://notify.example.com`, with or without a path: recipients follow links to it, vendors report to it what became of messages',
  },
  ...OIDC_ENVIRONMENT,
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
  TIDINGS_MAILBOX_URL: {
    parse: gatewayUrl,
    absent: 'none; `npm run start:kafka` sets it',
    readBy: ['messaging'],
    description: 'URL of the development mailbox, from which `tidings erase` removes the mails of a user',
  },
  TIDINGS_SENDER_DOMAINS: {
    parse: mailDomains,
    absent: 'any domain, with a warning',
    readBy: ['standalone', 'messaging'],
    description:
      'Domains from which workspaces may send with the default e-mail provider, separated by commas, unless `tidings workspaces senders` gave them others; that of its `from` is always one',
  },
  TIDINGS_BOUNCE_LIMIT: {
    parse: percentOrOff,
    default: '5',
    readBy: ['standalone', 'messaging'],
    description:
      'Percentage of hard bounces above which a provider configuration is paused, of at least 200 sends in an hour; `off`: never',
  },
  TIDINGS_COMPLAINT_LIMIT: {
    parse: percentOrOff,
    default: '0.3',
    readBy: ['standalone', 'messaging'],
    description: 'The same of complaints about spam',
  },
  TIDINGS_BOUNCE_DOMAIN: {
    parse: mailDomain,
    absent: 'none: bounces go to the sender of the mail',
    readBy: ['standalone', 'messaging'],
    description: 'Domain of the return paths of the default e-mail provider, to which mail servers send bounces',
  },
  TIDINGS_BOUNCE_PORT: {
    parse: port,
    absent: 'none: another process receives bounces',
    readBy: ['standalone', 'messaging'],
    needs: ['TIDINGS_BOUNCE_DOMAIN'],
    description: 'Port at which mails to `TIDINGS_BOUNCE_DOMAIN` are received; its MX record leads there, through port 25',
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
    readBy: ['standalone', ...OWNERS, 'check', 'replay'],
    requiredBy: [...OWNERS, 'check'],
    secret: true,
    description:
      "`postgresql://user:pass@host:port/database` of the service's own role; for standalone, of a role that may create schemas and roles; for check, of messaging",
  },
  DATABASE_DIRECT_URL: {
    parse: postgresUrl,
    absent: 'the value of `DATABASE_URL`',
    readBy: ['standalone', ...OWNERS],
    secret: true,
    needs: ['DATABASE_URL'],
    description: 'The same database and role without a pooler: for notifications, session locks and migrations',
  },
  DATABASE_POOLER: {
    parse: oneOf(['session', 'transaction'] as const),
    default: 'session',
    readBy: ['standalone', ...OWNERS],
    description:
      'Mode of the pooler at `DATABASE_URL`; `session` without one too. `transaction` requires `DATABASE_DIRECT_URL`, and statements are not prepared',
  },
  DATABASE_POOL_SIZE: {
    parse: wholeNumber(2, 1_000),
    default: '10',
    readBy: ['standalone', ...OWNERS],
    description: 'Connections of a service at most, beside two to three of its own; a standalone has four such pools',
  },
  DATABASE_CA_FILE: {
    parse: readableFile,
    absent: 'what `sslmode` and `sslrootcert` of the URL say',
    readBy: ['standalone', ...OWNERS, 'migrate', 'check', 'replay'],
    description: 'PEM file with the CA certificates of PostgreSQL; connections are encrypted, and the name of the server is verified',
  },
  TIDINGS_MIGRATE: {
    parse: oneOf(['start', 'never'] as const),
    default: 'start',
    readBy: ['standalone', ...OWNERS],
    description: '`start`: a process migrates its schema when it starts; `never`: it waits until `tidings migrate` has done so',
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
  ...KAFKA_ENVIRONMENT,
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
    absent: 'none: configured providers and webhooks reach public addresses only',
    readBy: ['standalone', 'messaging'],
    description: 'Private networks that configured providers and webhooks may connect to: `10.1.0.0/16`, separated by commas',
  },
  TIDINGS_MESSAGE_RETENTION: {
    parse: duration('15d', '20y'),
    default: '1y',
    readBy: ['standalone', 'identity', 'messaging'],
    description: 'Retention of message records and of the log of preferences, to the week: a number and a unit, `15d` to `20y`',
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
  ...OTEL_VARIABLES,
} satisfies Record<string, Variable>;

export { type ProcessName, type Variable } from './environment-variable';

export type VariableName = keyof typeof ENVIRONMENT;

/** The parsed variables of an environment. */
export type Values = { [Name in VariableName]?: ReturnType<(typeof ENVIRONMENT)[Name]['parse']> };

/** The table of environment variables in docs/configuration.md, in Markdown. */
export function configurationTable() {
  const rows = Object.entries<Variable>(ENVIRONMENT).map(([name, variable]) => {
    const { default: value, absent, readBy, requiredBy, requiredInProductionBy, description, secret } = variable;
    const processes = readBy.length === ALL.length ? 'all' : readBy.join(', ');
    const fallback = value === undefined ? absent : value === '' ? 'empty' : `\`${value}\``;
    const required = requiredBy
      ? `required by ${DISTRIBUTED.every((one) => requiredBy.includes(one)) ? 'all but standalone' : requiredBy.join(', ')}`
      : undefined;
    const inProduction = requiredInProductionBy && `required with \`NODE_ENV=production\` by ${requiredInProductionBy.join(', ')}`;
    const names = secret ? `\`${name}\`, \`…_FILE\`` : `\`${name}\``;
    return `| ${names} | ${[fallback, required, inProduction].filter(Boolean).join('; ')} | ${processes} | ${description} |`;
  });
  return ['| Variable | Default | Read by | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
