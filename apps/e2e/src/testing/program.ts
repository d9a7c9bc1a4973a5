import { type ChildProcess, spawn } from 'node:child_process';
import { type WaitOptions, waitUntil } from '@tidings/testing/wait-until';

/** Time in ms after which a process that does not end is killed; longer than any orderly stop. */
const END_TIMEOUT_MS = 45_000;

export interface ProgramOptions {
  parameters?: readonly string[];
  environment?: NodeJS.ProcessEnv;
  /** Removed by the guard process when the test process dies before the program. */
  folder?: string;
  /** Working directory. Default: this process's. */
  directory?: string;
}

/** One run of a built program, with its output. */
export class Program {
  private both = '';
  private standardOutput = '';
  /** The process has ended and its output is complete. */
  private closed = false;
  /** Resolves with the exit code, or the name of the ending signal. */
  readonly ended: Promise<number | NodeJS.Signals>;

  private constructor(
    private readonly child: ChildProcess,
    folder = '',
  ) {
    child.stdout?.on('data', (chunk) => {
      this.standardOutput += String(chunk);
      this.both += String(chunk);
    });
    child.stderr?.on('data', (chunk) => (this.both += String(chunk)));
    this.ended = new Promise((ended, failed) => {
      child.once('error', failed);
      child.once('close', (code, signal) => {
        this.closed = true;
        ended(code ?? signal!);
      });
    });
    const guard = startGuard(this.pid, folder);
    this.ended.finally(() => guard?.stdin?.end('done\n')).catch(() => undefined);
  }

  /** Runs a built file with Node; packages resolve as in production. */
  static start(file: string, { parameters = [], ...others }: ProgramOptions = {}): Program {
    return Program.run(process.execPath, { parameters: [file, ...parameters], ...others });
  }

  /** Runs a command of the machine. Its child processes on the same outputs are awaited as well. */
  static run(command: string, { parameters = [], environment = {}, folder, directory }: ProgramOptions = {}): Program {
    return new Program(spawn(command, parameters, { env: environment, cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] }), folder);
  }

  get pid(): number {
    return this.child.pid!;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Output so far, of both streams. */
  get output(): string {
    return this.both;
  }

  /** Standard output so far. */
  get stdout(): string {
    return this.standardOutput;
  }

  /** Resolves with the first truthy result of `probe`. Rejects with the output when the process ends before, or on timeout. */
  async until<Found>(probe: () => Found | Promise<Found>, options: WaitOptions): Promise<NonNullable<Found>> {
    const outcome = await waitUntil(async () => {
      const { closed } = this;
      try {
        const found = await probe();
        if (found) return { found };
      } catch (error) {
        if (!closed) throw error;
      }
      return closed ? { found: undefined } : undefined;
    }, options).catch((error: Error) => {
      throw new Error(`${error.message}. Output:\n${this.both}`, { cause: error });
    });
    if (outcome.found) return outcome.found;
    throw new Error(`The process ended (${await this.ended}) before ${options.what ?? 'the awaited result'}. Output:\n${this.both}`);
  }

  /** Resolves with the first match of the standard output. */
  prints(pattern: RegExp, options: WaitOptions = {}): Promise<RegExpExecArray> {
    return this.until(() => pattern.exec(this.standardOutput), { what: String(pattern), timeoutMs: 60_000, ...options });
  }

  /** Closes the output pipes: the next write of the process fails with a broken pipe. */
  stopListening(): void {
    this.child.stdout?.destroy();
    this.child.stderr?.destroy();
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Sends the signal and awaits the end; kills the process and rejects after `END_TIMEOUT_MS`. */
  async end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    this.child.kill(signal);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.child.kill('SIGKILL');
        reject(new Error(`The process did not end ${END_TIMEOUT_MS} ms after ${signal}. Output:\n${this.both}`));
      }, END_TIMEOUT_MS);
    });
    try {
      return await Promise.race([this.ended, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Shell script that ends the program in order and removes its folder when the jest worker that started it dies. */
const GUARD = `
  read -r word
  [ "$word" = done ] && exit
  kill -TERM "$1"
  while kill -0 "$1" 2>/dev/null; do sleep 0.2; done
  [ -z "$2" ] || rm -rf "$2"`;

function startGuard(pid: number, folder: string): ChildProcess | undefined {
  if (process.platform === 'win32') return undefined;
  const guard = spawn('/bin/sh', ['-c', GUARD, 'sh', String(pid), folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
  });
  guard.stdin.on('error', () => undefined); // the guard has already ended
  guard.unref();
  return guard;
}
