import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';

/** A worker that does not end by itself when it is told so is ended. */
const STOP_MS_MAX = 5_000;

/** What a worker can be asked: name of the command → from argument to result. Both cross the process border. */
export type Commands = Record<string, (argument: never) => unknown>;

interface Question {
  id: number;
  command: string;
  argument: unknown;
}
type Answer = { id: number; result: unknown } | { id: number; error: string };
type Pending = { resolve(result: unknown): void; reject(error: Error): void };

type ArgumentOf<Command> = Command extends (argument: infer Argument) => unknown ? Argument : never;
type ResultOf<Command> = Command extends (argument: never) => infer Result ? Awaited<Result> : never;

/**
 * A part of a bench in a process of its own, so that it neither shares an event loop with what is measured nor is counted
 * with it. It ends when this process does.
 */
export class Worker<Known extends Commands> {
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
  static start<Known extends Commands>(name: string, environment: NodeJS.ProcessEnv = {}): Worker<Known> {
    const child = fork(path.join(__dirname, `${name}.js`), [], {
      serialization: 'advanced', // typed arrays travel as they are
      env: { ...process.env, ...environment },
      execArgv: [],
    });
    return new Worker<Known>(child);
  }

  get pid(): number {
    return this.child.pid!;
  }

  call<Name extends keyof Known & string>(command: Name, argument: ArgumentOf<Known[Name]>): Promise<ResultOf<Known[Name]>> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.child.send({ id, command, argument } satisfies Question, (error) => {
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

/** The worker's side: answers questions until the bench disconnects, then ends the process after `stop`. */
export function serve<Known extends Commands>(commands: Known, stop?: () => Promise<void> | void): void {
  const send = (answer: Answer) => void process.send?.(answer);
  process.on('message', ({ id, command, argument }: Question) => {
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
