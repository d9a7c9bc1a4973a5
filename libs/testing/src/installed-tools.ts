import { spawnSync } from 'node:child_process';
import { createHash, type Hash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** Time limit of an installation. */
const INSTALL_MS_MAX = 900_000;
const ANSWER_MS_MAX = 60_000;
const DIGEST_CHARACTERS = 16;

/** Variables for access to a package registry; the tools see no other variables of the machine. */
const PASSED_ON = /^(HOME|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|npm_config_(registry|cache|cafile))$/i;

/** Folder of installed tools, by name and version. */
const CACHE = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'tidings', 'tools');

/** `it`, or a skipped test that names what is missing; with CI=true a skipped test is a failure. */
export function itWith(
  ...tools: { missing(): string | undefined }[]
): (name: string, test: jest.ProvidesCallback, timeoutMs?: number) => void {
  const missing = tools.flatMap((tool) => tool.missing() ?? []);
  return (name, test, timeoutMs = INSTALL_MS_MAX) => {
    if (missing.length === 0) it(name, test, timeoutMs);
    else it.skip(`${name} [${missing.join('; ')}]`, test);
  };
}

/** The folder of a tool, which `fill` installs the first time. A failed installation is removed. */
export function installed(name: string, fill: (draft: string) => void): string {
  const folder = path.join(CACHE, name);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const draft = mkdtempSync(path.join(CACHE, `.${name}-`));
  try {
    fill(draft);
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // a concurrent run has installed it
  }
  return folder;
}

/** Why Python packages cannot be installed on this machine, or `undefined`. @param name of the program that needs them */
export function pipMissing(name: string): string | undefined {
  return answers('python3', '-m', 'pip', '--version') ? undefined : `${name} needs python3 with pip (Debian: python3-pip) on the PATH`;
}

/** The folder with the packages of a requirements file, for `PYTHONPATH`; installed once per version of Python. */
export function pythonPackages(requirements: string): string {
  const version = spawnSync('python3', ['--version'], { encoding: 'utf8' }).stdout;
  return installed(`python-${digestOf(version, readFileSync(requirements))}`, (target) => {
    install('python3', ['-m', 'pip', 'install', '--quiet', '--target', target, '--requirement', requirements]);
  });
}

/** What the command printed. @throws Error when it fails */
export function install(command: string, parameters: string[], environment: Record<string, string> = {}): string {
  const { status, error, stdout, stderr } = spawnSync(command, parameters, {
    // Without cgo no C compiler is needed.
    env: { ...process.env, CGO_ENABLED: '0', ...environment },
    encoding: 'utf8',
    timeout: INSTALL_MS_MAX,
  });
  if (status !== 0) throw new Error(`"${command} ${parameters.join(' ')}" ended with ${status ?? error?.message}:\n${stderr}`);
  return stdout;
}

/** A short digest of contents, for names of folders. */
export function digestOf(...parts: (string | Buffer)[]): string {
  const digest = parts.reduce<Hash>((hash, part) => hash.update(part), createHash('sha256'));
  return digest.digest('hex').slice(0, DIGEST_CHARACTERS);
}

/** Whether a command is there and ends well. */
export function answers(command: string, ...parameters: string[]): boolean {
  return spawnSync(command, parameters, { env: process.env, timeout: ANSWER_MS_MAX, stdio: 'ignore' }).status === 0;
}

/** Of the machine's variables those that tools may see; its `node_modules` are not on the PATH. */
export function machineEnvironment(): Record<string, string> {
  const passed = Object.entries(process.env).filter(([name, value]) => PASSED_ON.test(name) && value !== undefined) as [string, string][];
  const search = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => !folder.includes('node_modules'));
  return { ...Object.fromEntries(passed), PATH: search.join(path.delimiter) };
}
