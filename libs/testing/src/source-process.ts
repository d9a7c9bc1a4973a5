import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { type WaitOptions, waitUntil } from './wait-until';

/** Node options for running TypeScript sources without a build, in a process or a thread. */
export const RUN_SOURCES = ['-r', resolve(__dirname, '../typescript-hook.cjs')] as const;

export interface SourceProcessOptions {
  parameters?: readonly string[];
  environment?: NodeJS.ProcessEnv;
  /** Account to run as; needs root. */
  uid?: number;
  gid?: number;
  /** Working directory. Default: this process's. */
  directory?: string;
}

/** A process that runs a TypeScript source without a build, for tests that kill a process. */
export class SourceProcess {
  private text = '';
  /** Resolves with the exit code, or with the name of the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals>;

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.on('data', (chunk) => (this.text += String(chunk)));
    child.stderr?.on('data', (chunk) => (this.text += String(chunk)));
    this.ended = new Promise((ended, failed) => {
      child.once('error', failed);
      child.once('close', (code, signal) => ended(code ?? signal!));
    });
  }

  static start(file: string, { parameters = [], environment, uid, gid, directory }: SourceProcessOptions = {}): SourceProcess {
    const child = spawn(process.execPath, [...RUN_SOURCES, file, ...parameters], {
      env: { ...process.env, ...environment },
      uid,
      gid,
      cwd: directory,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new SourceProcess(child);
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Everything printed so far, to both outputs. */
  get output(): string {
    return this.text;
  }

  /** Resolves with the match once the output matches `pattern`; fails when the process ends before. */
  async says(pattern: RegExp, options: WaitOptions = {}): Promise<RegExpExecArray> {
    const unmatched = this.ended.then((end) => {
      const match = pattern.exec(this.text);
      if (match) return match;
      throw new Error(`The process ended (${end}) without printing ${String(pattern)}:\n${this.text}`);
    });
    unmatched.catch(() => {}); // the race decides
    return Promise.race([unmatched, waitUntil(() => pattern.exec(this.text), { what: `${String(pattern)} of a process`, ...options })]);
  }

  /** Closes the pipes of its outputs, so that its writes fail. */
  closeOutput(): void {
    this.child.stdout?.destroy();
    this.child.stderr?.destroy();
  }

  /** Sends a signal and waits for the end. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | NodeJS.Signals> {
    this.child.kill(signal);
    return this.ended;
  }
}
