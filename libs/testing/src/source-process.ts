import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { type WaitOptions, waitUntil } from './wait-until';

/** Options of Node with which a process, or a thread, runs TypeScript sources as they are. */
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

/** A process that runs a TypeScript source as it is, for stories in which a process is killed. */
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

  /** Everything it has said so far, on both outputs. */
  get output(): string {
    return this.text;
  }

  /** Resolves with the match as soon as the output has one; fails when the process ends without. */
  async says(pattern: RegExp, options: WaitOptions = {}): Promise<RegExpExecArray> {
    const gone = this.ended.then((end) => {
      const match = pattern.exec(this.text);
      if (match) return match;
      throw new Error(`The process ended (${end}) without saying ${String(pattern)}:\n${this.text}`);
    });
    gone.catch(() => {}); // whoever is faster is heard
    return Promise.race([gone, waitUntil(() => pattern.exec(this.text), { what: `${String(pattern)} of a process`, ...options })]);
  }

  /** From now on nobody reads what it says: its writes fail. */
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
