import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { answers, machineEnvironment } from '@tidings/testing/installed-tools';
import { type CheckingTool, nodeProgram } from './checking-tools';
import { readText } from './repository';

const BUILD_MS_MAX = 900_000;
const OUTPUT_CHARACTERS_MAX = 4_000;

/** Of the base image. */
export const NODE_VERSION = /^# (\d+\.\d+\.\d+);.*\nARG NODE_IMAGE=/m.exec(readText('Dockerfile'))![1]!;

const BASE = 'localhost/base';
const BUILT = 'localhost/built';
/** The machine's certificates, which a registry behind a proxy may need. */
const CERTIFICATES = '/etc/ssl/certs';
/** Home of the account that runs the commands of a build. */
const ROOT_HOME = path.posix.join('/', 'root');
/** Account and group of the base image `node`. */
const ACCOUNTS = { passwd: `root:x:0:0::${ROOT_HOME}:/bin/sh\nnode:x:1000:1000::/tmp:/bin/sh\n`, group: 'root:x:0:\nnode:x:1000:\n' };

/** The part of an image's configuration that the checks read. */
export interface ImageConfiguration {
  User: string;
  Env: string[];
  Entrypoint: string[];
  WorkingDir: string;
  StopSignal: string;
  Healthcheck: { Test: string[] };
}

export const buildah: Pick<CheckingTool, 'missing'> = {
  missing: () => (answers('buildah', '--version') ? undefined : 'buildah (Debian: buildah) is not on the PATH'),
};

/**
 * Builds images with buildah, without root privileges beyond chroot and without an image registry: `NODE_IMAGE` is one without programs.
 * While a command runs, Node of the base image's version with npm is mounted at `/usr/local`, and the machine's `/usr` (a shell), both
 * read-only.
 */
export class ImageBuilder {
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'tidings-image-'));
  private readonly mounts: string[];
  /** Of two images that share files, `overlay` stores them once; not every filesystem has it. `vfs` copies them. */
  private driver = 'overlay';

  constructor() {
    const base = path.join(this.folder, 'base');
    for (const name of ['usr', 'etc', 'root', 'tmp']) mkdirSync(path.join(base, name), { recursive: true });
    chmodSync(path.join(base, 'tmp'), 0o1777);
    for (const [name, text] of Object.entries(ACCOUNTS)) writeFileSync(path.join(base, 'etc', name), text);
    for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
      if (lstatSync(`/${name}`, { throwIfNoEntry: false })?.isSymbolicLink()) symlinkSync(readlinkSync(`/${name}`), path.join(base, name));
    }
    writeFileSync(path.join(base, 'root/.npmrc'), `cafile=${CERTIFICATES}/ca-certificates.crt\n`);
    writeFileSync(this.file('policy.json'), '{"default":[{"type":"insecureAcceptAnything"}]}');

    this.mounts = [
      '/usr:/usr:ro',
      `${CERTIFICATES}:${CERTIFICATES}:ro`,
      `${this.nodeWithNpm()}:/usr/local:ro`,
      `${npmCache()}:${ROOT_HOME}/.npm`,
    ];
    writeFileSync(this.file('Containerfile'), 'FROM scratch\nCOPY . /\nENV PATH=/usr/local/bin:/usr/bin:/bin\n');
    const parameters = ['--file', this.file('Containerfile'), '--tag', BASE];
    try {
      this.bud(base, ...parameters);
    } catch {
      this.driver = 'vfs';
      rmSync(this.file('images'), { recursive: true, force: true });
      this.bud(base, ...parameters);
    }
  }

  /** Builds a Dockerfile with its .dockerignore. @throws Error with the step that failed and its output */
  build(context: string): string {
    return this.bud(context, ...this.volumes(), '--build-arg', `NODE_IMAGE=${BASE}`, '--tag', BUILT);
  }

  configuration(): ImageConfiguration {
    const { Docker } = JSON.parse(this.run('inspect', '--type', 'image', BUILT)) as { Docker: { config: ImageConfiguration } };
    return Docker.config;
  }

  /** A container of the image that was built. */
  container(): Container {
    const name = this.run('from', '--signature-policy', this.file('policy.json'), BUILT).trim();
    return {
      folder: this.run('mount', name).trim(),
      /** As the image's account, in its working directory and with its variables only. */
      run: (words, environment = {}) =>
        this.spawn([
          'run',
          ...['--isolation', 'chroot', ...this.volumes()],
          ...Object.entries(environment).flatMap(([variable, value]) => ['--env', `${variable}=${value}`]),
          // buildah finds a program only by its path; the shell searches the image's PATH.
          ...[name, '--', '/bin/sh', '-c', 'exec "$@"', 'sh', ...words],
        ]),
    };
  }

  remove(): void {
    this.spawn(['rm', '--all']);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private bud(context: string, ...parameters: string[]): string {
    const policy = this.file('policy.json');
    return this.run(
      'bud',
      '--isolation',
      'chroot',
      '--format',
      'docker',
      '--layers=false',
      '--signature-policy',
      policy,
      ...parameters,
      context,
    );
  }

  /** A folder with Node of the base image's version, and this machine's npm. */
  private nodeWithNpm(): string {
    const folder = this.file('node');
    cpSync(nodeProgram(NODE_VERSION), path.join(folder, 'bin/node'));
    const npm = path.resolve(realpathSync(pathOf('npm')), '../..');
    cpSync(npm, path.join(folder, 'lib/node_modules/npm'), { recursive: true });
    for (const name of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, path.join(folder, 'bin', name));
    return folder;
  }

  private volumes(): string[] {
    return this.mounts.flatMap((mount) => ['--volume', mount]);
  }

  private file(name: string): string {
    return path.join(this.folder, name);
  }

  private run(...parameters: string[]): string {
    const { status, stdout, stderr } = this.spawn(parameters);
    if (status === 0) return stdout;
    throw new Error(`buildah ${parameters[0]} ended with ${status}:\n${`${stdout}${stderr}`.slice(-OUTPUT_CHARACTERS_MAX)}`);
  }

  private spawn(parameters: string[]) {
    const stores = ['--storage-driver', this.driver, '--root', this.file('images'), '--runroot', this.file('running')];
    const { status, stdout, stderr, error } = spawnSync('buildah', [...stores, ...parameters], {
      env: { ...machineEnvironment(), TMPDIR: this.folder },
      encoding: 'utf8',
      timeout: BUILD_MS_MAX,
    });
    if (error) throw error;
    return { status, stdout, stderr };
  }
}

export interface Container {
  /** Its files, as a folder of this machine. */
  folder: string;
  run(words: readonly string[], environment?: Record<string, string>): { status: number | null; stdout: string; stderr: string };
}

/** Where the PATH leads. */
function pathOf(program: string): string {
  const folders = machineEnvironment().PATH!.split(path.delimiter);
  return folders.map((folder) => path.join(folder, program)).find((file) => existsSync(file))!;
}

/** npm's cache of this machine, so that a build loads only what is new. */
function npmCache(): string {
  const folder = process.env.npm_config_cache ?? path.join(homedir(), '.npm');
  mkdirSync(folder, { recursive: true });
  return folder;
}
