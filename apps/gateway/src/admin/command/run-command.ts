import { parseArgs } from 'node:util';
import { ENVIRONMENT, GATEWAY_URL_DEFAULT } from '@tidings/runtime/environment-table';
import { AdminClient, AdminError } from './admin-client';
import { type Arguments, type Command, COMMANDS } from './commands';

/** What a shell expects of a command that was called in the wrong way. */
const USAGE_ERROR = 2;

/** Names both sides of the key: the gateway that has none, and the command that is to send it. */
const KEY_MISSING = `TIDINGS_ADMIN_KEY is missing: set it to the value that the gateway was started with.
If the gateway has none, its /admin is off. Make a key, and start the gateway with it (32 to 200 characters):
  export TIDINGS_ADMIN_KEY=$(openssl rand -hex 32)
  npm start`;

interface CommandWorld {
  environment: Readonly<Record<string, string | undefined>>;
  out(text: string): void;
  err(text: string): void;
}

/** Said when a command is called in the wrong way. */
class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Runs `tidings <resource> <verb> …`, or `tidings <verb> …`, against the gateway of `TIDINGS_URL`, with the credential of `TIDINGS_ADMIN_KEY`.
 * @returns the exit code: 0, 1 when it was refused or could not be asked, 2 when it was called in the wrong way.
 */
export async function runCommand(given: readonly string[], { environment, out, err }: CommandWorld): Promise<number> {
  if (given.includes('--help')) {
    out(commandHelp());
    return 0;
  }
  try {
    const name = nameOf(given);
    const command = COMMANDS[name]!;
    const parsed = argumentsOf(name, command, given.slice(name.split(' ').length));
    const { lines, data } = await command.run(clientOf(environment), parsed);
    out(parsed.options.json === true ? `${JSON.stringify(data, null, 2)}\n` : `${lines.join('\n')}\n`);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      err(`${error.message}\n\n${commandHelp()}`);
      return USAGE_ERROR;
    }
    if (!(error instanceof AdminError)) throw error;
    err(`${error.message}\n`);
    return 1;
  }
}

/** Most commands are a resource and a verb, some a verb alone. */
function nameOf(given: readonly string[]): string {
  const names = [given.slice(0, 2).join(' '), given[0] ?? ''];
  const name = names.find((one) => Object.hasOwn(COMMANDS, one));
  if (name === undefined) throw new UsageError(`There is no command "tidings ${names[0]}".`);
  return name;
}

/** Every command, for people. */
function commandHelp(): string {
  const lines = Object.entries(COMMANDS).flatMap(([name, { usage, meaning }]) => [
    `  tidings ${name} ${usage}`.trimEnd(),
    `      ${meaning}`,
  ]);
  return `${lines.join('\n')}\n\n--json prints data instead of words. TIDINGS_ADMIN_KEY is the gateway's; TIDINGS_URL is where it is (${GATEWAY_URL_DEFAULT}).\nWORKSPACE is a workspace's id or name.\n`;
}

function argumentsOf(name: string, { options, words, usage }: Command, given: readonly string[]): Arguments {
  let parsed: Arguments;
  try {
    const { values, positionals } = parseArgs({ args: [...given], options: parserOptions(options), allowPositionals: true });
    parsed = { options: values as Arguments['options'], words: positionals };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const missing = Object.entries(options).filter(([option, kind]) => kind === 'required' && !parsed.options[option]);
  if (missing.length > 0 || parsed.words.length !== words) throw new UsageError(`It is called so: tidings ${name} ${usage}`.trimEnd());
  return parsed;
}

function parserOptions(options: Command['options']): Record<string, { type: 'string' | 'boolean'; multiple?: boolean }> {
  const own = Object.entries(options).map(([option, kind]) => {
    return [option, kind === 'flag' ? { type: 'boolean' as const } : { type: 'string' as const, multiple: kind === 'several' }] as const;
  });
  return Object.fromEntries([...own, ['json', { type: 'boolean' }] as const]);
}

/** As everywhere, an empty variable is an absent one. */
function clientOf(environment: CommandWorld['environment']): AdminClient {
  const url = environment.TIDINGS_URL || GATEWAY_URL_DEFAULT;
  const key = environment.TIDINGS_ADMIN_KEY;
  if (!key) throw new AdminError(KEY_MISSING);
  return new AdminClient(parsed('TIDINGS_URL', url).replace(/\/+$/, ''), parsed('TIDINGS_ADMIN_KEY', key));
}

/** What is wrong with a value is said without the value: it may be a secret. */
function parsed(name: 'TIDINGS_URL' | 'TIDINGS_ADMIN_KEY', value: string): string {
  try {
    return ENVIRONMENT[name].parse(value);
  } catch (error) {
    throw new AdminError(`${name} ${(error as Error).message}`);
  }
}
