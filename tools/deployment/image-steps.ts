import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { DockerIgnore } from './docker-ignore';
import { type Instruction, type Stage, lastOf, parseCopy, parseDockerfile, parseEnvironment, parseWords } from './dockerfile';

/** Limit in ms for a command of the Dockerfile. */
const RUN_MS_MAX = 300_000;
const OUTPUT_CHARACTERS_MAX = 4_000;

/** Variables for access to a package registry; the steps see no other variables of the machine. */
const PASSED_ON = /^(HOME|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|npm_config_(registry|cache|cafile))$/i;

/** A path of the machine: a step with one would act on the machine instead of the image. */
const ABSOLUTE_PATH = /(^|[\s='":(])\/[A-Za-z]/;

/** The result of the last stage. */
export interface BuiltImage {
  /** The folder that stands for `/` of the image. */
  root: string;
  /** The folder that stands for its working directory. */
  directory: string;
  environment: Record<string, string>;
  entrypoint: string[];
  /** The base image of the stages. */
  base: string;
}

interface Filesystem {
  root: string;
  workdir: string;
  environment: Record<string, string>;
  base: string;
}

/**
 * Runs the steps of a Dockerfile as commands of this machine, each stage in its own folder below `target`. The files of the base image
 * are missing; the machine's Node and shell run the commands. @throws Error with the line that failed
 * @param context the folder with the Dockerfile and its .dockerignore
 */
export function runImageSteps(context: string, target: string, onStep: (step: string) => void = () => undefined): BuiltImage {
  const stages = parseDockerfile(readFileSync(path.join(context, 'Dockerfile'), 'utf8'));
  const ignore = new DockerIgnore(readFileSync(path.join(context, '.dockerignore'), 'utf8'));
  const admitted = path.join(target, 'context');
  for (const file of ignore.context(context)) copy(path.join(context, file), path.join(admitted, file));

  const done = new Map<string, Filesystem>();
  for (const stage of stages) done.set(stage.name, new StageRun(stage, { target, admitted, done, onStep }).run());

  const last = stages.at(-1)!;
  const { root, workdir, environment, base } = done.get(last.name)!;
  const entrypoint = lastOf(last, 'ENTRYPOINT');
  return { root, directory: path.join(root, workdir), environment, base, entrypoint: entrypoint ? parseWords(entrypoint) : [] };
}

class StageRun {
  private readonly files: Filesystem;

  constructor(
    private readonly stage: Stage,
    private readonly build: { target: string; admitted: string; done: Map<string, Filesystem>; onStep: (step: string) => void },
  ) {
    const before = build.done.get(stage.base);
    const root = path.join(build.target, 'stages', stage.name);
    mkdirSync(root, { recursive: true });
    if (before) copy(before.root, root);
    this.files = { workdir: '/', environment: {}, base: stage.base, ...before, root };
    this.files.environment = { ...this.files.environment };
  }

  run(): Filesystem {
    for (const instruction of this.stage.instructions) this.step(instruction);
    return this.files;
  }

  private step(instruction: Instruction): void {
    switch (instruction.keyword) {
      case 'WORKDIR':
        this.files.workdir = path.posix.resolve(this.files.workdir, instruction.text);
        mkdirSync(this.inside('.'), { recursive: true });
        return;
      case 'COPY':
        return this.copy(instruction);
      case 'ENV':
        Object.assign(this.files.environment, parseEnvironment(instruction));
        return;
      case 'RUN':
        return this.execute(instruction);
    }
  }

  private copy(instruction: Instruction): void {
    const { from, sources, target } = parseCopy(instruction);
    const origin = from === undefined ? this.build.admitted : this.build.done.get(from)?.root;
    if (!origin) throw new Error(`Dockerfile:${instruction.line}: there is no stage ${from}`);
    const isFolder = target.endsWith('/') || sources.length > 1;
    for (const source of sources) {
      const found = path.join(origin, source);
      if (!existsSync(found))
        throw new Error(`Dockerfile:${instruction.line}: ${source} is not in ${from ?? 'the context (.dockerignore?)'}`);
      // Docker copies the content of a folder.
      copy(found, statSync(found).isFile() && isFolder ? path.join(this.inside(target), path.basename(source)) : this.inside(target));
    }
  }

  private execute({ text, line }: Instruction): void {
    if (ABSOLUTE_PATH.test(text))
      throw new Error(`Dockerfile:${line}: "RUN ${text}" names an absolute path, which would be a path of this machine`);
    this.build.onStep(`${this.stage.name}: ${text}`);
    const { status, error, stdout, stderr } = spawnSync('sh', ['-c', text], {
      cwd: this.inside('.'),
      env: { ...machineEnvironment(), ...this.files.environment },
      encoding: 'utf8',
      timeout: RUN_MS_MAX,
    });
    if (status === 0) return;
    const output = `${stdout}${stderr}`.slice(-OUTPUT_CHARACTERS_MAX);
    throw new Error(`Dockerfile:${line}: "RUN ${text}" ended with ${status ?? error?.message}:\n${output}`, { cause: error });
  }

  /** The path on this machine of a path in the image. */
  private inside(imagePath: string): string {
    return path.join(this.files.root, path.posix.resolve(this.files.workdir, imagePath));
  }
}

/** The variables of the machine that the image's steps may see; its `node_modules` are not on the PATH. */
export function machineEnvironment(): Record<string, string> {
  const passed = Object.entries(process.env).filter(([name, value]) => PASSED_ON.test(name) && value !== undefined) as [string, string][];
  const search = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => !folder.includes('node_modules'));
  return { ...Object.fromEntries(passed), PATH: search.join(path.delimiter) };
}

function copy(source: string, target: string): void {
  mkdirSync(path.dirname(target), { recursive: true });
  // Keeps links: npm links from node_modules to the projects.
  cpSync(source, target, { recursive: true, verbatimSymlinks: true });
}
