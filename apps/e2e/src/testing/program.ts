import { type ChildProcess, spawn } from 'node:child_process';
import { type WaitOptions, waitUntil } from '@tidings/testing/wait-until';

/** Guard against a process that does not end; longer than any stop of ours may take. */
const END_TIMEOUT_MS = 45_000;

export interface ProgramOptions {
  parameters?: readonly string[];
  environment?: NodeJS.ProcessEnv;
  /** Removed after the program's end where nobody is left to do it. */
  folder?: string;
}

/** One run of a built program, with all it said. */
export class Program {
  private both = '';
  private standardOutput = '';
  /** It ended, and all it said is here. */
  private closed = false;
  /** Resolves with the exit code, or with the name of the signal that ended the process. */
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

  /** Runs `file` with Node, as it was built: packages are found as in production. */
  static start(file: string, { parameters = [], ...others }: ProgramOptions = {}): Program {
    return Program.run(process.execPath, { parameters: ['--enable-source-maps', file, ...parameters], ...others });
  }

  /** Runs a command of the machine. What it starts in its turn, on the same outputs, is waited for as well. */
  static run(command: string, { parameters = [], environment = {}, folder }: ProgramOptions = {}): Program {
    return new Program(spawn(command, parameters, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] }), folder);
  }

  get pid(): number {
    return this.child.pid!;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Everything said so far, on both outputs. */
  get output(): string {
    return this.both;
  }

  /** What was said on the standard output alone. */
  get stdout(): string {
    return this.standardOutput;
  }

  /** Resolves with what `look` finds; fails as soon as the process ended without, or when the time is up, with the output. */
  async until<Found>(look: () => Found | Promise<Found>, options: WaitOptions): Promise<NonNullable<Found>> {
    const outcome = await waitUntil(async () => {
      const { closed } = this;
      try {
        const found = await look();
        if (found) return { found };
      } catch (error) {
        if (!closed) throw error;
      }
      return closed ? { found: undefined } : undefined;
    }, options).catch((error: Error) => {
      throw new Error(`${error.message}. The process said:\n${this.both}`, { cause: error });
    });
    if (outcome.found) return outcome.found;
    throw new Error(`The process ended (${await this.ended}) before ${options.what ?? 'what was waited for'}. It said:\n${this.both}`);
  }

  /** Resolves with the match as soon as the standard output has one. */
  prints(pattern: RegExp, options: WaitOptions = {}): Promise<RegExpExecArray> {
    return this.until(() => pattern.exec(this.standardOutput), { what: String(pattern), timeoutMs: 60_000, ...options });
  }

  /** Nobody reads any more what the process says: its next word meets a broken pipe. */
  stopListening(): void {
    this.child.stdout?.destroy();
    this.child.stderr?.destroy();
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Sends the signal and waits for the end; a process that does not end is killed, and the promise rejects. */
  async end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    this.child.kill(signal);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.child.kill('SIGKILL');
        reject(new Error(`The process did not end ${END_TIMEOUT_MS} ms after ${signal}. It said:\n${this.both}`));
      }, END_TIMEOUT_MS);
    });
    try {
      return await Promise.race([this.ended, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** What ends the program in order, and removes its folder, when the process that started it is gone: a worker of jest, or a run that was killed. */
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
  guard.stdin.on('error', () => undefined); // the guard ended before it was told to
  guard.unref();
  return guard;
}
