import { spawnSync } from 'node:child_process';
import { type Hash, createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { machineEnvironment } from './image-steps';

const INSTALL_MS_MAX = 300_000;
const RUN_MS_MAX = 60_000;
const DIGEST_CHARACTERS = 16;

/** Where tools are kept between runs, by name and version. */
const CACHE = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'tidings', 'tools');

/** A program of others, of one version, and how this machine gets it. */
export interface CheckingTool {
  name: string;
  /** Words that say what is missing, or nothing where it can be installed. */
  missing(): string | undefined;
  /** Installs it where that has not been done, and runs it. Throws an error where it cannot be installed. */
  run(...parameters: string[]): { status: number | null; stdout: string; stderr: string };
}

/** A program in Go, kept under `key`; the Go command fetches what it is made of, and the toolchain that asks for. */
function goProgram(name: string, key: () => string, program: string, build: (place: string) => void): CheckingTool {
  return {
    name,
    missing: () => (answers('go', 'version') ? undefined : `${name} needs Go 1.21 or later on the PATH (https://go.dev/dl)`),
    run: (...parameters) => execute(path.join(kept(`${name}-${key()}`, build), program), parameters),
  };
}

/** A module of the Python packages in requirements.txt; they are installed for one version of Python. */
function pythonModule(name: string, module: string): CheckingTool {
  const requirements = path.join(__dirname, 'requirements.txt');
  return {
    name,
    missing: () =>
      answers('python3', '-m', 'pip', '--version') ? undefined : `${name} needs python3 with pip (Debian: python3-pip) on the PATH`,
    run(...parameters) {
      const version = spawnSync('python3', ['--version'], { encoding: 'utf8' }).stdout;
      const folder = kept(`${name}-${digestOf(version, readFileSync(requirements))}`, (place) =>
        install('python3', ['-m', 'pip', 'install', '--quiet', '--target', place, '--requirement', requirements]),
      );
      return execute('python3', ['-m', module, ...parameters], { PYTHONPATH: folder });
    },
  };
}

const COMPOSE_CONFIG = path.join(__dirname, 'compose-config');

/** Reads a Compose file as Docker Compose does and prints what it understood; our own few lines around compose-go. */
export const composeConfig = goProgram(
  'compose-config',
  () => digestOf(...['main.go', 'go.mod', 'go.sum'].map((file) => readFileSync(path.join(COMPOSE_CONFIG, file)))),
  'compose-config',
  (place) => install('go', ['build', '-C', COMPOSE_CONFIG, '-mod=readonly', '-o', `${place}${path.sep}`, '.']),
);

/** Later versions need a later Go. */
const KUSTOMIZE = 'v5.7.1';

/** Builds a kustomization, as `kubectl apply -k` does. */
export const kustomize = goProgram(
  'kustomize',
  () => KUSTOMIZE,
  'kustomize',
  (place) => install('go', ['install', `sigs.k8s.io/kustomize/kustomize/v5@${KUSTOMIZE}`], { GOBIN: place }),
);

/** Holds objects against the schemas of a version of Kubernetes, which it carries along. */
export const kubernetesValidate = pythonModule('kubernetes-validate', 'kubernetes_validate');

/** The folder of a tool; `fill` puts it there the first time. Half an installation is never kept. */
function kept(name: string, fill: (place: string) => void): string {
  const folder = path.join(CACHE, name);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const place = mkdtempSync(path.join(CACHE, `.${name}-`));
  try {
    fill(place);
    renameSync(place, folder);
  } catch (error) {
    rmSync(place, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // another run was faster
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

function answers(command: string, ...parameters: string[]): boolean {
  return spawnSync(command, parameters, { env: process.env, timeout: RUN_MS_MAX, stdio: 'ignore' }).status === 0;
}

function execute(command: string, parameters: string[], environment: Record<string, string> = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, parameters, {
    // Compose files take variables of the environment and of a .env: the machine's own would decide what is checked.
    cwd: tmpdir(),
    env: { ...machineEnvironment(), ...environment },
    encoding: 'utf8',
    timeout: RUN_MS_MAX,
  });
  if (error) throw error;
  return { status, stdout, stderr };
}
