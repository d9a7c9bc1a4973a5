import { type ChildProcess, spawn } from 'node:child_process';
import { type WaitOptions, waitUntil } from '@tidings/testing/wait-until';

/** Guard against a process that does not end; longer than any stop of ours may take. */
const END_TIMEOUT_MS = 45_000;

export interface ProgramOptions {
  parameters?: readonly string[];
  environment?: NodeJS.ProcessEnv;
}

/** One run of a built program, with all it said. */
export class Program {
  private both = '';
  private standardOutput = '';
  /** Resolves with the exit code, or with the name of the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals>;

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.on('data', (chunk) => {
      this.standardOutput += String(chunk);
      this.both += String(chunk);
    });
    child.stderr?.on('data', (chunk) => (this.both += String(chunk)));
    this.ended = new Promise((ended, failed) => {
      child.once('error', failed);
      child.once('close', (code, signal) => ended(code ?? signal!));
    });
    // A parent that ends in a hurry leaves no child behind.
    const orphaned = (): void => void child.kill('SIGTERM');
    process.once('exit', orphaned);
    this.ended.finally(() => process.removeListener('exit', orphaned)).catch(() => undefined);
  }

  /** Runs `file` with Node, as it was built: packages are found as in production. */
  static start(file: string, { parameters = [], environment = {} }: ProgramOptions = {}): Program {
    return new Program(
      spawn(process.execPath, ['--enable-source-maps', file, ...parameters], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
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

  /** Resolves with what `look` finds; fails as soon as the process ends without, or when the time is up, with the output. */
  async until<Found>(look: () => Found | Promise<Found>, options: WaitOptions): Promise<NonNullable<Found>> {
    const gone = this.ended.then(async (end) => {
      const found = await look();
      if (found) return found;
      throw new Error(`The process ended (${end}) before ${options.what ?? 'what was waited for'}`);
    });
    gone.catch(() => undefined); // whoever is faster is heard
    try {
      return await Promise.race([gone, waitUntil(look, options)]);
    } catch (error) {
      throw new Error(`${(error as Error).message}. The process said:\n${this.both}`, { cause: error });
    }
  }

  /** Resolves with the match as soon as the standard output has one. */
  prints(pattern: RegExp, options: WaitOptions = {}): Promise<RegExpExecArray> {
    return this.until(() => pattern.exec(this.standardOutput), { what: String(pattern), timeoutMs: 60_000, ...options });
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
