import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { answers, digestOf, install, installed, machineEnvironment, pipMissing, pythonPackages } from '@tidings/testing/installed-tools';

const RUN_MS_MAX = 60_000;

/** A third-party program of one version, with its installation. */
export interface CheckingTool {
  name: string;
  /** What this machine lacks to install the program, or `undefined`. */
  missing(): string | undefined;
  /** Installs the program if needed and runs it. @throws Error when it cannot be installed */
  run(parameters: readonly string[], environment?: Record<string, string>): { status: number | null; stdout: string; stderr: string };
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
  return {
    name,
    missing: () => pipMissing(name),
    run(parameters) {
      const folder = pythonPackages(path.join(__dirname, 'requirements.txt'));
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

/** Compiling Helm takes minutes, more than all its runs. */
const UNOPTIMISED = ['-ldflags=-s -w', '-gcflags=all=-N -l'];

/** 3.22 is the last of Helm 3; later versions require a later Go. */
const HELM = 'v3.22.0';

/** Renders a chart, as `helm install` does, without a cluster. */
export const helm = goProgram(
  'helm',
  () => HELM,
  'helm',
  (folder) => install('go', ['install', ...UNOPTIMISED, `helm.sh/helm/v3/cmd/helm@${HELM}`], { GOBIN: folder }),
);

/** Files of a Go module, copied out of its archive: nothing is built. @param module with its version @param names paths in it */
export function goModuleFiles(module: string, names: readonly string[]): Pick<CheckingTool, 'missing'> & { files(): string[] } {
  const name = module.replaceAll('/', '_');
  return {
    missing: () => (answers('go', 'version') ? undefined : `the files of ${module} need Go 1.21 or later on the PATH (https://go.dev/dl)`),
    files() {
      const folder = installed(`${name}-${digestOf(...names)}`, (draft) => {
        const { Dir } = JSON.parse(install('go', ['mod', 'download', '-json', module])) as { Dir: string };
        for (const file of names) copyFileSync(path.join(Dir, file), path.join(draft, path.basename(file)));
      });
      return names.map((file) => path.join(folder, path.basename(file)));
    },
  };
}

/** Validates objects against the schemas of a version of Kubernetes, which it contains. */
export const kubernetesValidate = pythonProgram('kubernetes-validate', () => ['python3', '-m', 'kubernetes_validate']);

/** The program of a version of Node for this machine, from the package of npm that holds nothing else. */
export function nodeProgram(version: string): string {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = installed(`${name}-${version}`, (draft) => {
    install('npm', ['install', '--prefix', draft, '--no-save', '--ignore-scripts', '--silent', `${name}@${version}`]);
  });
  return path.join(folder, 'node_modules', name, 'bin/node');
}

/** Finds mistakes in a Dockerfile. */
export const hadolint = pythonProgram('hadolint', (folder) => [path.join(folder, 'bin/hadolint')]);

/** Checks and tests the rules of Prometheus; from the distribution's package. */
export const promtool: CheckingTool = {
  name: 'promtool',
  missing: () => (answers('promtool', '--version') ? undefined : 'promtool (Debian: prometheus) on the PATH'),
  run: (parameters, environment) => execute('promtool', parameters, environment),
};

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
