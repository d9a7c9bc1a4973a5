#!/usr/bin/env node
/** `tidings <role> [arguments]` or an operator's command. Environment: docs/configuration.md. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Roles and descriptions; `dist` has a file for each. */
const ROLES = {
  gateway: 'the HTTP gateway',
  identity: 'workspaces, API keys, profiles',
  audience: 'lists and audiences',
  messaging: 'requests, routing, delivery, history',
  content: 'templates, brands, translations',
  standalone: 'everything in one process, PostgreSQL included',
  migrate: 'creates roles, schemas and tables in the database of --admin-url, and ends',
  'kafka-access': 'gives the principal of each role its rights in Kafka, and ends',
  check: 'accepted messages = final + pending; orphans are found, and repaired on demand',
  replay: 'copies records of a topic into another one, or lets a group read them again',
};
/** Commands of operators for a running gateway. */
const OPERATORS = {
  workspaces: 'list, create, senders, limit, quota',
  keys: 'list, create, rotate, limit, revoke (--workspace …)',
  'signing-keys': 'rotate',
  providers: 'list, pause, resume (--workspace …)',
  erase: 'WORKSPACE USER_ID: removes all stored data of a user',
  bounce: '--to ADDRESS: reads a mail to a return path from the standard input',
  events: 'skip-unverified, republish',
  status: 'readiness, versions, backlog, lag and dead letters of the five apps; ends with 1 unless all are ready',
  'dead-letters': 'list, show, redrive, discard: records that no service could process',
  secrets: 'reseal',
};
const OPERATORS_COMMAND = 'operate';
/** Conventional exit code of a wrong command line. */
const USAGE_ERROR = 2;

const migrateUsage = `tidings migrate [--plan] --admin-url postgresql://user:password@host:port/database
  --plan: shows the migrations that would run, and changes nothing
  needs IDENTITY_PASSWORD, AUDIENCE_PASSWORD, MESSAGING_PASSWORD and CONTENT_PASSWORD the first time; idempotent;
  ADMIN_DATABASE_URL replaces --admin-url on machines where other accounts can see the arguments of a process
`;

const kafkaAccessUsage = `tidings kafka-access [--principal ROLE=NAME]… [--consumer NAME=GROUP]…
  creates ACLs as the super user of KAFKA_SASL_USERNAME or KAFKA_TLS_CERT; idempotent; docs/kafka-access.md;
  --principal: the principal of a role, where it is not tidings-ROLE; --consumer: a reader of the history, with its group
`;
const checkUsage = `tidings check [--repair] [--state FILE] [--json]
  reads the database of DATABASE_URL as messaging, and with KAFKA_BROKERS the log of accepted requests; docs/check-and-replay.md;
  --repair: mends what can be mended; --state: continues after an interruption;
  exit codes: 0 nothing is left, 1 failed, 2 wrong arguments, 3 problems are left, 130 interrupted
`;

const replayUsage = `tidings replay TOPIC --from TIME [--to TIME] (--into TOPIC | --group GROUP) [--workspace ID] [--state FILE] [--json]
  copies the records of a topic of KAFKA_BROKERS from a time on into another topic, or sets a group back to that time;
  without KAFKA_BROKERS --group is of the log in DATABASE_URL; docs/check-and-replay.md; --state: continues after an interruption;
  exit codes: 0 done, 1 failed, 2 wrong arguments, 130 interrupted
`;
/** Usage of the roles with arguments. */
const USAGES = { migrate: migrateUsage, 'kafka-access': kafkaAccessUsage, check: checkUsage, replay: replayUsage };

const help = `tidings <role> [arguments], tidings <resource> <verb> [arguments], tidings --version

${Object.entries(ROLES)
  .map(([role, meaning]) => `  ${role.padEnd(14)}${meaning}`)
  .join('\n')}

${Object.entries(OPERATORS)
  .map(([command, verbs]) => `  ${command.padEnd(14)}${verbs}`)
  .join('\n')}
      call the gateway at TIDINGS_URL (http://localhost:8080) with its TIDINGS_ADMIN_KEY; details: "tidings keys --help"

${Object.values(USAGES).join('\n')}`;

const isHelpFlag = (word) => word === '--help' || word === '-h';
const isVersionFlag = (word) => word === '--version' || word === '-v';

const [role, ...parameters] = process.argv.slice(2);
if (isHelpFlag(role) || role === 'help') {
  process.stdout.write(help);
} else if (isVersionFlag(role) || role === 'version') {
  process.stdout.write(`${JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).version}\n`);
} else if (role !== undefined && Object.hasOwn(OPERATORS, role)) {
  parameters.unshift(role);
  await run(OPERATORS_COMMAND);
} else if (role === undefined || !Object.hasOwn(ROLES, role)) {
  process.stderr.write(`${role === undefined ? 'A role is required.' : `There is no role "${role}".`}\n\n${help}`);
  process.exitCode = USAGE_ERROR;
} else if (parameters.some(isHelpFlag)) {
  process.stdout.write(usageOf(role));
} else {
  await run(role);
}

function usageOf(role) {
  return Object.hasOwn(USAGES, role)
    ? USAGES[role]
    : `tidings ${role}\n  ${ROLES[role]}; its environment variables are in docs/configuration.md\n`;
}

async function run(entry) {
  const file = path.join(root, 'dist', `${entry}.js`);
  if (!existsSync(file)) {
    process.stderr.write(`${path.relative(root, file)} does not exist: build it first (npm ci && npm run build)\n`);
    process.exitCode = 1;
    return;
  }
  // Runs the role in this process, so that a signal has one receiver.
  process.argv = [process.argv[0], file, ...parameters];
  await import(pathToFileURL(file).href);
}
