import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { Teardown } from '@tidings/runtime/teardown';
import { figure } from './report';
import { ROOT } from './root';
import type { SinkCommands } from './smtp-sink';
import { type Commands, Worker } from './worker';

const TRAVERSABLE = 0o711;

/** Resources that a bench started, each with its stop function. */
export class Bench {
  private readonly teardown = new Teardown();
  private nextRun = 1;

  /** A folder that is removed at the end; PostgreSQL's own account may traverse it. */
  directory(): string {
    const directory = mkdtempSync(path.join(tmpdir(), 'tidings-bench-'));
    chmodSync(directory, TRAVERSABLE);
    this.teardown.add(directory, () => rmSync(directory, { recursive: true, force: true }));
    return directory;
  }

  worker<Served extends Commands>(name: string): Worker<Served> {
    const worker = Worker.start<Served>(name);
    this.atEnd(name, () => worker.stop());
    return worker;
  }

  async sink(latencyMs = 0): Promise<{ sink: Worker<SinkCommands>; smtpPort: number }> {
    const sink = this.worker<SinkCommands>('smtp-sink');
    const { port } = await sink.call('listen', { latencyMs });
    return { sink, smtpPort: port };
  }

  /** Resources that end before this bench: at their own `end`. */
  part(): Bench {
    const part = new Bench();
    this.atEnd('a part', () => part.end());
    return part;
  }

  /** The number of the next run. Late mails of an earlier run carry its number and are not counted. */
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

/** One line for the report: command, time, machine, load, Node version and commit. */
export function describeRun(): string {
  const [cpu] = cpus();
  const commit = commitOf(ROOT);
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
