import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commandLineOf, freeze, isRunning, startOf } from '@tidings/runtime/process-table';
import type { Broker } from './broker';
import type { Java } from './engine';
import { BROKER_MARK } from './guard';
import { OWNER_ONLY } from './server-properties';

const LOG_SETTINGS = resolve(__dirname, '../log4j2.properties');
const FORMAT_TIMEOUT_MS = 60_000;
/** When most controllers of a cluster have ended, the last ones cannot stop in order. */
const STOP_TIMEOUT_MS = 15_000;
const KILL_TIMEOUT_MS = 20_000;
const POLL_MS = 20;
const LOG_LINES = 8;
const FORMAT_HEAP_MB = 128;
/** In a broker's folder. */
const JVM_OPTIONS = 'jvm.options';
/** The first records of a cluster's metadata: the versions of its features, the same for every cluster of a Kafka release. */
const FIRST_RECORDS = 'bootstrap.checkpoint';

/** Settings that all brokers on Java share. */
export interface JavaKafka {
  java: Java;
  /** The folder with Kafka's jars. */
  library: string;
  /** Further options of the JVM, for a class-data archive. */
  options: string[];
  heapMb: number;
}

/** A broker as a process in its own process group: it outlives the process that started it. Its folder has a pid file. */
export class JavaBroker implements Broker {
  private readonly pidFile: string;

  constructor(
    readonly id: number,
    private readonly kafka: () => Promise<JavaKafka>,
    /** Folder with server.properties. */
    readonly home: string,
  ) {
    this.pidFile = join(home, 'pid');
  }

  /**
   * Formats the data folder; does nothing when it has data. Without parameters Kafka's tool, a JVM of its own, does it once for each
   * release; its records are copied from then on.
   */
  async format(clusterId: string, data: string, parameters: string[]): Promise<void> {
    const properties = join(data, 'meta.properties');
    if (existsSync(properties)) return;
    const { java, library, options } = await this.kafka();
    const cached = parameters.length === 0 ? join(dirname(library), FIRST_RECORDS) : undefined;
    if (cached && existsSync(cached)) {
      mkdirSync(data, { recursive: true, mode: OWNER_ONLY.folder });
      copyFileSync(cached, join(data, FIRST_RECORDS));
      const directoryId = randomBytes(16).toString('base64url');
      writeFileSync(properties, `version=1\ncluster.id=${clusterId}\nnode.id=${this.id}\ndirectory.id=${directoryId}\n`, {
        mode: OWNER_ONLY.file,
      });
      return;
    }
    const { status, stderr, stdout, error } = spawnSync(
      java.program,
      [
        ...[`-Xmx${FORMAT_HEAP_MB}m`, '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', ...options, '-cp', `${library}/*`],
        ...['kafka.tools.StorageTool', 'format', `--cluster-id=${clusterId}`, '-c', join(this.home, 'server.properties'), ...parameters],
      ],
      { encoding: 'utf8', timeout: FORMAT_TIMEOUT_MS },
    );
    if (status !== 0) throw new Error(`Broker ${this.id} could not prepare its storage: ${error?.message ?? `${stdout}${stderr}`.trim()}`);
    if (cached) {
      copyFileSync(join(data, FIRST_RECORDS), `${cached}.${process.pid}`);
      renameSync(`${cached}.${process.pid}`, cached);
    }
  }

  /** Stores options of this broker's JVM, for all its starts. */
  setOptions(options: readonly string[]): void {
    if (options.length > 0) writeFileSync(join(this.home, JVM_OPTIONS), options.join('\n'), { mode: OWNER_ONLY.file });
  }

  private ownOptions(): string[] {
    const file = join(this.home, JVM_OPTIONS);
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  }

  isRunning(): boolean {
    return this.pid() !== undefined;
  }

  async launch(): Promise<void> {
    if (this.isRunning()) return;
    const { java, library, options, heapMb } = await this.kafka();
    const log = join(this.home, 'server.log');
    if (existsSync(log)) renameSync(log, `${log}.before`);
    rmSync(this.pidFile, { force: true });
    const outputFile = join(this.home, 'output.log');
    rmSync(outputFile, { force: true }); // an earlier version let others read it
    const output = openSync(outputFile, 'w', OWNER_ONLY.file);
    try {
      // The shell writes its pid before it execs the broker, so every broker has a pid file.
      const child = spawn(
        '/bin/sh',
        [
          ...['-c', 'umask 077 && echo $$ >"$0" && exec "$@"', this.pidFile, java.program],
          ...[`-Xms${Math.min(heapMb, 128)}m`, `-Xmx${heapMb}m`, '-XX:+UseSerialGC', '-XX:+ExitOnOutOfMemoryError', ...options],
          ...this.ownOptions(),
          ...['-Djava.awt.headless=true', '-Djava.net.preferIPv4Stack=true', `-Dlog4j2.configurationFile=${LOG_SETTINGS}`],
          ...[`${BROKER_MARK}${this.home}`, '-cp', `${library}/*`, 'kafka.Kafka', join(this.home, 'server.properties')],
        ],
        { detached: true, stdio: ['ignore', output, output], cwd: this.home },
      );
      child.unref();
      await new Promise((started, failed) => child.once('spawn', () => started(undefined)).once('error', failed));
      // During exec the process has no command line for a moment and would not be recognised.
      const isBroker = (): boolean => commandLineOf(child.pid!)?.startsWith(java.program) ?? false;
      while (!isBroker() && child.exitCode === null && child.signalCode === null) await delay(POLL_MS);
    } finally {
      closeSync(output);
    }
  }

  async stop(): Promise<void> {
    this.signal('SIGCONT');
    if (!(await this.end('SIGTERM', STOP_TIMEOUT_MS))) await this.kill();
  }

  async kill(): Promise<void> {
    if (!(await this.end('SIGKILL', KILL_TIMEOUT_MS)))
      throw new Error(`Broker ${this.id} (process ${this.pid()}) has not ended after SIGKILL`);
    rmSync(this.pidFile, { force: true });
  }

  async freeze(): Promise<void> {
    const pid = this.pid();
    if (pid !== undefined) await freeze(pid);
  }

  async thaw(): Promise<void> {
    this.signal('SIGCONT');
  }

  remove(): Promise<void> {
    return this.kill();
  }

  lastLogLines(): string {
    const lines = ['server.log', 'output.log'].flatMap((name) => {
      const file = join(this.home, name);
      return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
    });
    const faults = lines.filter((line) => / (ERROR|FATAL) |Exception/.test(line));
    return (faults.length > 0 ? faults : lines).slice(-LOG_LINES).join('\n');
  }

  /** Pid of the running broker; `undefined` when it is not running. */
  private pid(): number | undefined {
    let pid: number;
    try {
      pid = Number.parseInt(readFileSync(this.pidFile, 'utf8'), 10);
    } catch {
      return undefined;
    }
    return pid > 0 && isRunning(pid) && commandLineOf(pid)?.includes(`${BROKER_MARK}${this.home} `) ? pid : undefined;
  }

  private signal(signal: NodeJS.Signals): void {
    const pid = this.pid();
    if (pid === undefined) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  /** Resolves with whether the process ends in time. It goes by pid and start time: an ending process loses its command line before its ports. */
  private async end(signal: NodeJS.Signals, timeoutMs: number): Promise<boolean> {
    const pid = this.pid();
    if (pid === undefined) return true;
    const start = startOf(pid);
    this.signal(signal);
    for (const until = Date.now() + timeoutMs; isRunning(pid) && startOf(pid) === start; await delay(POLL_MS))
      if (Date.now() > until) return false;
    return true;
  }
}
