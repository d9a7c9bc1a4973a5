#!/usr/bin/env node
/** `tidings <role> [arguments]` or an operator's command. Environment: docs/configuration.md. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Roles: file and description. */
const ROLES = {
  gateway: ['apps/gateway/dist/main.js', 'the HTTP gateway'],
  identity: ['apps/identity/dist/main.js', 'workspaces, API keys, profiles'],
  audience: ['apps/audience/dist/main.js', 'lists and audiences'],
  messaging: ['apps/messaging/dist/main.js', 'requests, routing, delivery, history'],
  content: ['apps/content/dist/main.js', 'templates, brands, translations'],
  standalone: ['apps/standalone/dist/main.js', 'everything in one process, PostgreSQL included'],
  migrate: ['libs/runtime/dist/migrate-main.js', 'creates roles and schemas in the database of --admin-url, and ends'],
  'kafka-access': ['libs/runtime/dist/kafka-access-main.js', 'gives the principal of each role its rights in Kafka, and ends'],
};
/** Commands of operators for a running gateway. */
const OPERATORS = {
  workspaces: 'list, create, senders, limit, quota',
  keys: 'list, create, rotate, limit, revoke (--workspace …)',
  'signing-keys': 'rotate',
  erase: 'WORKSPACE USER_ID: removes all stored data of a user',
  events: 'skip-unverified, republish',
  secrets: 'reseal',
};
const OPERATORS_COMMAND = 'apps/gateway/dist/admin/command/main.js';
/** Conventional exit code of a wrong command line. */
const USAGE_ERROR = 2;

const migrateUsage = `tidings migrate --admin-url postgresql://user:password@host:port/database
  needs IDENTITY_PASSWORD, AUDIENCE_PASSWORD, MESSAGING_PASSWORD and CONTENT_PASSWORD the first time; idempotent;
  ADMIN_DATABASE_URL replaces --admin-url on machines where other accounts can see the arguments of a process
`;

const kafkaAccessUsage = `tidings kafka-access [--principal ROLE=NAME]… [--consumer NAME=GROUP]…
  creates ACLs as the super user of KAFKA_SASL_USERNAME or KAFKA_TLS_CERT; idempotent; docs/kafka-access.md;
  --principal: the principal of a role, where it is not tidings-ROLE; --consumer: a reader of the history, with its group
`;
/** Usage of the roles with arguments. */
const USAGES = { migrate: migrateUsage, 'kafka-access': kafkaAccessUsage };

const help = `tidings <role> [arguments], tidings <resource> <verb> [arguments], tidings --version

${Object.entries(ROLES)
  .map(([role, [, meaning]]) => `  ${role.padEnd(14)}${meaning}`)
  .join('\n')}

${Object.entries(OPERATORS)
  .map(([command, verbs]) => `  ${command.padEnd(14)}${verbs}`)
  .join('\n')}
      call the gateway at TIDINGS_URL (http://localhost:8080) with its TIDINGS_ADMIN_KEY; details: "tidings keys --help"

${migrateUsage}
${kafkaAccessUsage}`;

const isHelpFlag = (word) => word === '--help' || word === '-h';
const isVersionFlag = (word) => word === '--version' || word === '-v';

const [role, ...parameters] = process.argv.slice(2);
if (isHelpFlag(role) || role === 'help') {
  process.stdout.write(help);
} else if (isVersionFlag(role) || role === 'version') {
  process.stdout.write(`${JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).version}\n`);
} else if (role !== undefined && Object.hasOwn(OPERATORS, role)) {
  parameters.unshift(role);
  await run(path.join(root, OPERATORS_COMMAND));
} else if (role === undefined || !Object.hasOwn(ROLES, role)) {
  process.stderr.write(`${role === undefined ? 'A role is required.' : `There is no role "${role}".`}\n\n${help}`);
  process.exitCode = USAGE_ERROR;
} else if (parameters.some(isHelpFlag)) {
  process.stdout.write(usageOf(role));
} else {
  await run(path.join(root, ROLES[role][0]));
}

function usageOf(role) {
  return Object.hasOwn(USAGES, role)
    ? USAGES[role]
    : `tidings ${role}\n  ${ROLES[role][1]}; its environment variables are in docs/configuration.md\n`;
}

async function run(file) {
  if (!existsSync(file)) {
    process.stderr.write(`${path.relative(root, file)} does not exist: build it first (npm ci && npm run build)\n`);
    process.exitCode = 1;
    return;
  }
  // Runs the role in this process, so that a signal has one receiver.
  process.argv = [process.argv[0], file, ...parameters];
  await import(pathToFileURL(file).href);
}
