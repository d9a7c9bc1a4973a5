import { parseArgs, type ParseArgsConfig } from 'node:util';
import { withSecretFiles } from '@tidings/runtime/configuration';
import { ENVIRONMENT, GATEWAY_URL_DEFAULT } from '@tidings/runtime/environment-table';
import { AdminClient, AdminError } from './admin-client';
import type { Arguments, Command } from './command';
import { COMMANDS } from './commands';

/** Explains the key at both sides: the gateway and the command. */
const KEY_MISSING = `TIDINGS_ADMIN_KEY is missing: set it to the value that the gateway was started with.
If the gateway has none, its /admin is off. Create a key, and start the gateway with it (32 to 200 characters):
  export TIDINGS_ADMIN_KEY=$(openssl rand -hex 32)
  npm start`;

interface CommandContext {
  environment: Readonly<Record<string, string | undefined>>;
  out(text: string): void;
  err(text: string): void;
  /** The standard input. */
  input: AsyncIterable<Buffer>;
}

/** A command was called with wrong arguments. */
class UsageError extends Error {}

/**
 * Runs `tidings <resource> <verb> …`, or `tidings <verb> …`, against the gateway of `TIDINGS_URL`, with the credential of `TIDINGS_ADMIN_KEY`.
 * @returns the exit code: 0, 1 when the gateway refused it or is unavailable, or an app is not ready, 2 for wrong arguments.
 */
export async function runCommand(args: readonly string[], { environment, out, err, input }: CommandContext) {
  if (args.includes('--help')) {
    out(commandHelp());
    return 0;
  }
  try {
    const name = nameOf(args);
    const command = COMMANDS[name]!;
    const parsed = argumentsOf(name, command, args.slice(name.split(' ').length));
    const { lines, data, failed = false } = await command.run(clientOf(environment), parsed, (line) => err(`${line}\n`), input);
    out(parsed.options.json === true ? `${JSON.stringify(data, null, 2)}\n` : `${lines.join('\n')}\n`);
    return failed ? 1 : 0;
  } catch (error) {
    if (error instanceof UsageError) {
      err(`${error.message}\n\n${commandHelp()}`);
      return 2;
    }
    if (!(error instanceof AdminError)) throw error;
    err(`${error.message}\n`);
    return 1;
  }
}

type ParsedOptions = NonNullable<ParseArgsConfig['options']>;

/** Most commands are a resource and a verb, some a verb alone. */
function nameOf(args: readonly string[]) {
  const names = [args.slice(0, 2).join(' '), args[0] ?? ''];
  const name = names.find((one) => Object.hasOwn(COMMANDS, one));
  if (name === undefined) throw new UsageError(`There is no command "tidings ${names[0]}".`);
  return name;
}

/** The help text with all commands. */
function commandHelp() {
  const lines = Object.entries(COMMANDS).flatMap(([name, { usage, meaning }]) => [
    `  tidings ${name} ${usage}`.trimEnd(),
    `      ${meaning}`,
  ]);
  return `${lines.join('\n')}\n\n--json prints data instead of text. TIDINGS_ADMIN_KEY is the gateway's key; TIDINGS_URL is its URL (${GATEWAY_URL_DEFAULT}).\nWORKSPACE is a workspace's id or name.\n`;
}

function argumentsOf(name: string, { usage }: Command, args: string[]): Arguments {
  const { values: options, positionals: words } = parsedBy(optionsOf(`${usage} [--json]`), args);
  const namesOfWords = usage.split(/\[?--/)[0]!.split(' ').filter(Boolean);
  const namesOfRequiredWords = namesOfWords.filter((word) => !word.startsWith('['));
  const required = Object.keys(optionsOf(usage.replace(/\[.*?\]/g, '')));
  const hasItsWords = words.length >= namesOfRequiredWords.length && words.length <= namesOfWords.length;
  if (required.some((option) => !options[option]) || !hasItsWords) throw new UsageError(`Usage: tidings ${name} ${usage}`.trimEnd());
  return { options, words };
}

/** The options of a usage: `--name`, `--name VALUE` or `--name VALUE …`. */
function optionsOf(usage: string) {
  const options: ParsedOptions = {};
  for (const [, name, value, more] of usage.matchAll(/--([a-z-]+)( [\w|]+)?( …)?/g))
    options[name!] = { type: value ? 'string' : 'boolean', multiple: more !== undefined };
  return options;
}

function parsedBy(options: ParsedOptions, args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** An empty variable counts as absent, as everywhere. */
function clientOf(environment: CommandContext['environment']) {
  const problems: string[] = [];
  const { TIDINGS_ADMIN_KEY: key, TIDINGS_URL: url } = withSecretFiles(environment, problems);
  if (problems.length > 0) throw new AdminError(problems.join('\n'));
  if (!key) throw new AdminError(KEY_MISSING);
  return new AdminClient(parsed('TIDINGS_URL', url || GATEWAY_URL_DEFAULT).replace(/\/+$/, ''), parsed('TIDINGS_ADMIN_KEY', key));
}

/** Parses a variable; the error does not quote the value, which may be a secret. */
function parsed(name: 'TIDINGS_URL' | 'TIDINGS_ADMIN_KEY', value: string) {
  try {
    return ENVIRONMENT[name].parse(value);
  } catch (error) {
    throw new AdminError(`${name} ${(error as Error).message}`);
  }
}
