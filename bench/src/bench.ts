import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { Teardown } from '@tidings/runtime/teardown';
import { figure } from './report';
import type { SinkCommands } from './smtp-sink';
import { type Commands, Worker } from './worker';

const PASSABLE = 0o711;

/** What a bench has started, and how it is ended. */
export class Bench {
  private readonly teardown = new Teardown();
  private nextRun = 1;

  /** A folder that is removed at the end; PostgreSQL's own account may pass through it. */
  directory(): string {
    const directory = mkdtempSync(path.join(tmpdir(), 'tidings-bench-'));
    chmodSync(directory, PASSABLE);
    this.teardown.add(directory, () => rmSync(directory, { recursive: true, force: true }));
    return directory;
  }

  worker<Known extends Commands>(name: string): Worker<Known> {
    const worker = Worker.start<Known>(name);
    this.atEnd(name, () => worker.stop());
    return worker;
  }

  async sink(latencyMs = 0): Promise<{ sink: Worker<SinkCommands>; smtpPort: number }> {
    const sink = this.worker<SinkCommands>('smtp-sink');
    const { port } = await sink.call('listen', { latencyMs });
    return { sink, smtpPort: port };
  }

  /** The number of the next run: what an earlier run still brings is not counted with it. */
  run(): number {
    return this.nextRun++;
  }

  /** Stops are called in reverse order. */
  atEnd(name: string, stop: () => Promise<void> | void): void {
    this.teardown.add(name, stop);
  }

  async end(): Promise<void> {
    for (const { name, error } of await this.teardown.run()) console.error(`${name} did not stop in order: ${String(error)}`);
  }
}

/** Runs a bench's main function and ends everything it started, whatever happens. */
export function runBench(main: (bench: Bench) => Promise<void>): void {
  const bench = new Bench();
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => reject(new Error(`Ended by ${signal}`)));
  });
  void Promise.race([main(bench), interrupted])
    .catch((error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    })
    .then(() => bench.end())
    .finally(() => process.exit());
}

/** What a measurement must name: the machine, how busy it was, the command. */
export function describeRun(): string {
  const [cpu] = cpus();
  const commit = commitOf(path.resolve(__dirname, '../..'));
  return (
    `${process.argv
      .slice(1)
      .map((part) => path.basename(part))
      .join(' ')} · ${new Date().toISOString().slice(0, 16)}Z · ` +
    `${cpus().length} × ${cpu?.model ?? 'unknown CPU'} · load ${loadavg().map(figure).join(' ')} · Node ${process.version}` +
    (commit ? ` · ${commit}` : '')
  );
}

function commitOf(directory: string): string | undefined {
  try {
    return execFileSync('git', ['-C', directory, 'describe', '--always', '--dirty'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined; // no repository, or no commit yet
  }
}
