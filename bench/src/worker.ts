import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';

/** A worker that has not stopped after this time is killed. */
const STOP_MS_MAX = 5_000;

/** Commands of a worker, by name: from argument to result. Both are serialized between processes. */
export type Commands = Record<string, (argument: never) => unknown>;

interface Call {
  id: number;
  command: string;
  argument: unknown;
}
type Answer = { id: number; result: unknown } | { id: number; error: string };
type Pending = { resolve(result: unknown): void; reject(error: Error): void };

type ArgumentOf<Command> = Command extends (argument: infer Argument) => unknown ? Argument : never;
type ResultOf<Command> = Command extends (argument: never) => infer Result ? Awaited<Result> : never;

/**
 * A part of a bench in a separate process: it does not share an event loop with the measured code and is not counted with it.
 * It ends when this process ends.
 */
export class Worker<Served extends Commands> {
  private readonly pending = new Map<number, Pending>();
  private readonly ended: Promise<void>;
  private next = 0;

  private constructor(private readonly child: ChildProcess) {
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        for (const { reject } of this.pending.values()) reject(new Error(`The worker ended with ${code ?? signal}`));
        this.pending.clear();
        resolve();
      });
    });
    child.on('message', (answer: Answer) => {
      const waiting = this.pending.get(answer.id);
      this.pending.delete(answer.id);
      if ('error' in answer) waiting?.reject(new Error(answer.error));
      else waiting?.resolve(answer.result);
    });
  }

  /** Starts the module `name` of this folder, which calls `serve`. */
  static start<Served extends Commands>(name: string, environment: NodeJS.ProcessEnv = {}): Worker<Served> {
    const child = fork(path.join(__dirname, `${name}.js`), [], {
      serialization: 'advanced', // keeps typed arrays
      env: { ...process.env, ...environment },
      execArgv: [],
    });
    return new Worker<Served>(child);
  }

  get pid(): number {
    return this.child.pid!;
  }

  call<Name extends keyof Served & string>(command: Name, argument: ArgumentOf<Served[Name]>): Promise<ResultOf<Served[Name]>> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.child.send({ id, command, argument } satisfies Call, (error) => {
        if (error) reject(error);
      });
    });
  }

  async stop(): Promise<void> {
    if (this.child.connected) this.child.disconnect();
    const late = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS_MAX);
    await this.ended;
    clearTimeout(late);
  }
}

/** The worker's side: runs commands until the bench disconnects, then ends the process after `stop`. */
export function serve<Served extends Commands>(commands: Served, stop?: () => Promise<void> | void): void {
  const send = (answer: Answer) => void process.send?.(answer);
  process.on('message', ({ id, command, argument }: Call) => {
    const run = commands[command] as ((argument: unknown) => unknown) | undefined;
    Promise.resolve()
      .then(() => {
        if (!run) throw new Error(`There is no command ${command}`);
        return run(argument);
      })
      .then(
        (result) => send({ id, result }),
        (error: unknown) => send({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
      );
  });
  process.once('disconnect', () => {
    void Promise.resolve(stop?.()).finally(() => process.exit(0));
  });
  // Ctrl-C reaches the whole group; the bench decides when its workers end.
  process.on('SIGINT', () => {});
}
