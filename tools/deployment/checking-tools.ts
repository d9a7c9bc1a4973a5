import { spawnSync } from 'node:child_process';
import { type Hash, createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';

const INSTALL_MS_MAX = 300_000;
const RUN_MS_MAX = 60_000;
const DIGEST_CHARACTERS = 16;

/** Variables for access to a package registry; the tools see no other variables of the machine. */
const PASSED_ON = /^(HOME|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|npm_config_(registry|cache|cafile))$/i;

/** Folder of installed tools, by name and version. */
const CACHE = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'tidings', 'tools');

/** A third-party program of one version, with its installation. */
export interface CheckingTool {
  name: string;
  /** What this machine lacks to install the program, or `undefined`. */
  missing(): string | undefined;
  /** Installs the program if needed and runs it. @throws Error when it cannot be installed */
  run(parameters: readonly string[], environment?: Record<string, string>): { status: number | null; stdout: string; stderr: string };
}

/** `it`, or a skipped test that names the missing tools; tools/deployment/check.mjs lists skipped tests. */
export function itWith(...tools: Pick<CheckingTool, 'missing'>[]): (name: string, test: jest.ProvidesCallback, timeoutMs?: number) => void {
  const missing = tools.flatMap((tool) => tool.missing() ?? []);
  return (name, test, timeoutMs = INSTALL_MS_MAX) => {
    if (missing.length === 0) it(name, test, timeoutMs);
    else it.skip(`${name} [${missing.join('; ')}]`, test);
  };
}

/** A program in Go, installed under `key`; the Go command fetches its modules and the toolchain they require. */
function goProgram(name: string, key: () => string, program: string, build: (folder: string) => void): CheckingTool {
  return {
    name,
    missing: () => (answers('go', 'version') ? undefined : `${name} needs Go 1.21 or later on the PATH (https://go.dev/dl)`),
    run: (parameters, environment) => execute(path.join(installed(`${name}-${key()}`, build), program), parameters, environment),
  };
}

/** A program of the Python packages in requirements.txt, installed per version of Python. */
function pythonProgram(name: string, command: (folder: string) => [string, ...string[]]): CheckingTool {
  const requirements = path.join(__dirname, 'requirements.txt');
  return {
    name,
    missing: () =>
      answers('python3', '-m', 'pip', '--version') ? undefined : `${name} needs python3 with pip (Debian: python3-pip) on the PATH`,
    run(parameters) {
      const version = spawnSync('python3', ['--version'], { encoding: 'utf8' }).stdout;
      const folder = installed(`python-${digestOf(version, readFileSync(requirements))}`, (target) =>
        install('python3', ['-m', 'pip', 'install', '--quiet', '--target', target, '--requirement', requirements]),
      );
      const [program, ...first] = command(folder);
      return execute(program, [...first, ...parameters], { PYTHONPATH: folder });
    },
  };
}

const COMPOSE_CONFIG = path.join(__dirname, 'compose-config');

/** Reads a Compose file as Docker Compose does and prints the result as JSON; a small program around compose-go. */
export const composeConfig = goProgram(
  'compose-config',
  () => digestOf(...['main.go', 'go.mod', 'go.sum'].map((file) => readFileSync(path.join(COMPOSE_CONFIG, file)))),
  'compose-config',
  (folder) => install('go', ['build', '-C', COMPOSE_CONFIG, '-mod=readonly', '-o', `${folder}${path.sep}`, '.']),
);

/** Later versions require a later Go. */
const KUSTOMIZE = 'v5.7.1';

/** Builds a kustomization, as `kubectl apply -k` does. */
export const kustomize = goProgram(
  'kustomize',
  () => KUSTOMIZE,
  'kustomize',
  (folder) => install('go', ['install', `sigs.k8s.io/kustomize/kustomize/v5@${KUSTOMIZE}`], { GOBIN: folder }),
);

/** Validates objects against the schemas of a version of Kubernetes, which it contains. */
export const kubernetesValidate = pythonProgram('kubernetes-validate', () => ['python3', '-m', 'kubernetes_validate']);

/** Finds mistakes in a Dockerfile. */
export const hadolint = pythonProgram('hadolint', (folder) => [path.join(folder, 'bin/hadolint')]);

/** The folder of a tool, which `fill` installs the first time. A failed installation is removed. */
function installed(name: string, fill: (draft: string) => void): string {
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

function install(command: string, parameters: string[], environment: Record<string, string> = {}): void {
  const { status, error, stderr } = spawnSync(command, parameters, {
    env: { ...process.env, ...environment },
    encoding: 'utf8',
    timeout: INSTALL_MS_MAX,
  });
  if (status !== 0) throw new Error(`"${command} ${parameters.join(' ')}" ended with ${status ?? error?.message}:\n${stderr}`);
}

function digestOf(...parts: (string | Buffer)[]): string {
  const digest = parts.reduce<Hash>((hash, part) => hash.update(part), createHash('sha256'));
  return digest.digest('hex').slice(0, DIGEST_CHARACTERS);
}

export function answers(command: string, ...parameters: string[]): boolean {
  return spawnSync(command, parameters, { env: process.env, timeout: RUN_MS_MAX, stdio: 'ignore' }).status === 0;
}

function execute(command: string, parameters: readonly string[], environment: Record<string, string> = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, parameters, {
    // Compose files read variables from the environment and a .env: those of this machine would change the checked values.
    cwd: tmpdir(),
    env: { ...machineEnvironment(), ...environment },
    encoding: 'utf8',
    timeout: RUN_MS_MAX,
  });
  if (error) throw error;
  return { status, stdout, stderr };
}

/** Of the machine's variables those that tools may see; its `node_modules` are not on the PATH. */
export function machineEnvironment(): Record<string, string> {
  const passed = Object.entries(process.env).filter(([name, value]) => PASSED_ON.test(name) && value !== undefined) as [string, string][];
  const search = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => !folder.includes('node_modules'));
  return { ...Object.fromEntries(passed), PATH: search.join(path.delimiter) };
}
