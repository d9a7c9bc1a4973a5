#!/usr/bin/env node
/** `tidings <role> [arguments]`, or an operators' command: the one command of the product. docs/configuration.md has its environment. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** What runs, and what it is. */
const ROLES = {
  gateway: ['apps/gateway/dist/main.js', 'the HTTP door'],
  identity: ['apps/identity/dist/main.js', 'workspaces, API keys, profiles'],
  audience: ['apps/audience/dist/main.js', 'lists and audiences'],
  messaging: ['apps/messaging/dist/main.js', 'requests, routing, delivery, history'],
  content: ['apps/content/dist/main.js', 'templates, brands, translations'],
  standalone: ['apps/standalone/dist/main.js', 'everything in one process, PostgreSQL included'],
  migrate: ['libs/runtime/dist/migrate-main.js', 'makes roles and schemas in the database of --admin-url, and ends'],
};
/** What operators ask a running gateway for. */
const OPERATORS = {
  workspaces: 'list, create',
  keys: 'list, create, rotate, revoke (--workspace …)',
  'signing-keys': 'rotate',
  erase: 'WORKSPACE USER_ID: removes all that is kept of a user',
};
const OPERATORS_COMMAND = 'apps/gateway/dist/admin/command/main.js';
/** What a shell expects of a command that was called in the wrong way. */
const USAGE_ERROR = 2;

const migrateUsage = `tidings migrate --admin-url postgresql://user:password@host:port/database
  needs IDENTITY_PASSWORD, AUDIENCE_PASSWORD, MESSAGING_PASSWORD and CONTENT_PASSWORD the first time, and may be repeated;
  ADMIN_DATABASE_URL says the same as --admin-url where others can see the arguments of a process
`;

const help = `tidings <role> [arguments], tidings <resource> <verb> [arguments]

${Object.entries(ROLES)
  .map(([role, [, meaning]]) => `  ${role.padEnd(12)}${meaning}`)
  .join('\n')}

${Object.entries(OPERATORS)
  .map(([command, verbs]) => `  ${command.padEnd(14)}${verbs}`)
  .join('\n')}
      ask the gateway at TIDINGS_URL (http://localhost:8080) with its TIDINGS_ADMIN_KEY; "tidings keys --help" says more

${migrateUsage}`;

const asksForHelp = (word) => word === '--help' || word === '-h';

const [role, ...parameters] = process.argv.slice(2);
if (asksForHelp(role) || role === 'help') {
  process.stdout.write(help);
} else if (role !== undefined && Object.hasOwn(OPERATORS, role)) {
  parameters.unshift(role);
  await run(path.join(root, OPERATORS_COMMAND));
} else if (role === undefined || !Object.hasOwn(ROLES, role)) {
  process.stderr.write(`${role === undefined ? 'Which role?' : `There is no role "${role}".`}\n\n${help}`);
  process.exitCode = USAGE_ERROR;
} else if (parameters.some(asksForHelp)) {
  process.stdout.write(usageOf(role));
} else {
  await run(path.join(root, ROLES[role][0]));
}

function usageOf(role) {
  if (role === 'migrate') return migrateUsage;
  return `tidings ${role}\n  ${ROLES[role][1]}; its environment variables are in docs/configuration.md\n`;
}

async function run(file) {
  if (!existsSync(file)) {
    process.stderr.write(`${path.relative(root, file)} is not there: build it first (npm ci && npm run build)\n`);
    process.exitCode = 1;
    return;
  }
  // The role reads its own arguments, in this process: a signal has one receiver.
  process.argv = [process.argv[0], file, ...parameters];
  await import(pathToFileURL(file).href);
}
