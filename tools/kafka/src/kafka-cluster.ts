import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Broker } from './broker';
import { accepts, queryBrokers } from './broker-query';
import { type ClusterPlan, draftPlan, readPlan, removeFiles, writePlan } from './cluster-plan';
import { findEngine } from './engine';
import type { BrokerProperties, Fleet } from './fleet';
import { type Guard, startGuard } from './guard';
import type { ListenerSecurity } from './listener-security';
import { openFleet } from './open-fleet';
import { withFolderLock } from './folder-lock';
import { noteStartedCluster } from './started-clusters';

/** Includes recovery after a crash on a busy machine. */
const START_TIMEOUT_MS = 120_000;
const POLL_MS = 50;
const PORT_ATTEMPTS_MAX = 5;
const HEAP_MB = 256;
const HEAP_MB_MIN = 128;
const PORT_IN_USE = /Address already in use|BindException|port is already allocated/i;

export interface KafkaClusterOptions {
  /** Folder of the cluster; created if missing. A cluster that is already in it is restarted with its data. */
  directory: string;
  /** Default: the number of the folder's cluster, or 1. */
  brokers?: 1 | 3;
  /** Preferred port of the first broker; another one when it is in use. Absent: any free ports. */
  port?: number;
  /** Heap of each broker. Default 256. */
  heapMb?: number;
  /** Entries of server.properties that override the defaults. Only for a new cluster. */
  properties?: BrokerProperties;
  /** TLS and passwords on the client port. Only for a new cluster. */
  listener?: ListenerSecurity;
  /** The brokers outlive this process; `KafkaCluster.open` opens them again. Otherwise they end with it, even after SIGKILL. */
  detached?: boolean;
  /** The data is removed when this process ends without `remove`. Not combined with `detached`. */
  temporary?: boolean;
  /** Receives a message before each slow step. Default: no messages. */
  log?: (message: string) => void;
  /** Environment with the PATH of Java, Maven and Docker. Default: this process's. */
  environment?: NodeJS.ProcessEnv;
}

/** A real Apache Kafka of one or three brokers on 127.0.0.1: on Java if possible, otherwise in Docker. Brokers are numbered from 1. */
export class KafkaCluster {
  private guard?: Guard;

  private constructor(
    /** Absolute, without symbolic links. */
    readonly directory: string,
    private readonly plan: ClusterPlan,
    private readonly fleet: Fleet,
    private readonly lifetime: Pick<KafkaClusterOptions, 'detached' | 'temporary'>,
  ) {}

  /**
   * Starts all stopped brokers; resolves when every broker accepts requests and lists all others.
   * @throws KafkaUnavailable when this machine can run no Kafka; Error with the end of the log when a broker does not start.
   */
  static async start(options: KafkaClusterOptions): Promise<KafkaCluster> {
    mkdirSync(options.directory, { recursive: true, mode: 0o700 });
    const directory = realpathSync(options.directory);
    if (/[,\n]/.test(directory))
      throw new Error(`Kafka cannot store data in a folder with a comma or line break in its name: ${directory}`);
    checkHeap(options.heapMb);
    const cluster = await withFolderLock(directory, START_TIMEOUT_MS, async () => {
      const existing = readPlan(directory);
      return existing ? KafkaCluster.restart(directory, existing, options) : KafkaCluster.startNew(directory, options);
    });
    if (!options.temporary) noteStartedCluster(directory);
    return cluster;
  }

  /** The cluster of this folder, running or not, or `undefined` without one. Its brokers are not changed and outlive this process. */
  static async open(directory: string): Promise<KafkaCluster | undefined> {
    const plan = existsSync(directory) ? readPlan(realpathSync(directory)) : undefined;
    if (!plan) return undefined;
    return new KafkaCluster(realpathSync(directory), plan, openFleet(realpathSync(directory), plan), { detached: true });
  }

  private static async restart(directory: string, plan: ClusterPlan, options: KafkaClusterOptions): Promise<KafkaCluster> {
    const { brokers = plan.ports.length } = options;
    if (brokers !== plan.ports.length)
      throw new Error(
        `${directory} contains a cluster of ${plan.ports.length} broker(s), not of ${brokers}: remove it or use another folder`,
      );
    const current = { ...plan, heapMb: options.heapMb ?? plan.heapMb };
    const cluster = new KafkaCluster(directory, current, openFleet(directory, current, options), options);
    await cluster.bringUp();
    return cluster;
  }

  private static async startNew(directory: string, options: KafkaClusterOptions): Promise<KafkaCluster> {
    const { brokers = 1, heapMb = HEAP_MB, listener = {}, properties = {} } = options;
    for (let attempt = 1; ; attempt++) {
      // After the preferred port was found in use it is not tried again.
      const plan = await draftPlan(findEngine(options.environment).kind, brokers, heapMb, attempt === 1 ? options.port : undefined);
      const fleet = openFleet(directory, plan, options);
      const cluster = new KafkaCluster(directory, plan, fleet, options);
      try {
        await fleet.prepare(listener, properties);
        writePlan(directory, plan);
        await cluster.bringUp();
        return cluster;
      } catch (error) {
        await cluster.remove({ retainDirectory: true });
        if (attempt >= PORT_ATTEMPTS_MAX || !PORT_IN_USE.test(String(error))) throw error;
      }
    }
  }

  /** Bootstrap servers, `host:port`. */
  get brokers(): string[] {
    return this.plan.ports.map(({ client }) => `127.0.0.1:${client}`);
  }

  /** Starts a stopped or killed broker on its port and with its data; resolves when it accepts requests. */
  async startBroker(id: number): Promise<void> {
    const broker = this.broker(id);
    this.startGuard();
    for (let attempt = 1; ; attempt++) {
      try {
        await broker.launch();
        return await this.untilServing(id, [id]);
      } catch (error) {
        // Clients use this port, so it stays. The process on it may be a connection that ends soon.
        if (attempt >= PORT_ATTEMPTS_MAX || !PORT_IN_USE.test(String(error))) throw error;
      }
    }
  }

  /** Ends a broker in order; one that does not end within 15 s is killed. */
  stopBroker(id: number): Promise<void> {
    return this.broker(id).stop();
  }

  /** Ends a broker with SIGKILL. */
  kill(id: number): Promise<void> {
    return this.broker(id).kill();
  }

  /** The broker neither answers nor ends (SIGSTOP) until it is thawed. */
  freeze(id: number): Promise<void> {
    return this.broker(id).freeze();
  }

  thaw(id: number): Promise<void> {
    return this.broker(id).thaw();
  }

  /** State of each broker. `silent`: it runs without answering, because it is starting or frozen. */
  status(): Promise<{ id: number; address: string; state: 'serving' | 'silent' | 'stopped' }[]> {
    return Promise.all(
      this.fleet.brokers.map(async (broker, index) => {
        const answered = broker.isRunning() && (await queryBrokers(this.plan.ports[index]!.internal));
        const state = answered ? ('serving' as const) : broker.isRunning() ? ('silent' as const) : ('stopped' as const);
        return { id: broker.id, address: this.brokers[index]!, state };
      }),
    );
  }

  /** Ends all brokers in order; the data stays for another start in the same folder. */
  async stop(): Promise<void> {
    await Promise.all(this.fleet.brokers.map((broker) => broker.stop()));
    this.dismissGuard();
  }

  /** Kills all brokers and removes their data, then the folder if it is empty and `retainDirectory` is false. */
  async remove({ retainDirectory = false } = {}): Promise<void> {
    await this.fleet.remove();
    removeFiles(this.directory, this.plan, { retainDirectory });
    this.dismissGuard();
  }

  private async bringUp(): Promise<void> {
    this.startGuard();
    await Promise.all(this.fleet.brokers.map((broker) => broker.launch()));
    const all = this.fleet.brokers.map(({ id }) => id);
    await Promise.all(all.map((id) => this.untilServing(id, all)));
  }

  /** Resolves when the broker answers and lists the brokers `expected`. @throws Error with the end of its log when it ends before */
  private async untilServing(id: number, expected: number[]): Promise<void> {
    const broker = this.broker(id);
    const { client, internal } = this.plan.ports[id - 1]!;
    for (const until = Date.now() + START_TIMEOUT_MS; Date.now() < until; await delay(POLL_MS)) {
      if (!broker.isRunning()) throw new Error(`Broker ${id} in ${this.directory} did not start: ${broker.lastLogLines()}`);
      const answer = await queryBrokers(internal);
      if (expected.every((one) => answer?.includes(one)) && (await accepts(client))) return;
    }
    throw new Error(`Broker ${id} in ${this.directory} accepts no requests after ${START_TIMEOUT_MS / 1000} s: ${broker.lastLogLines()}`);
  }

  private broker(id: number): Broker {
    const broker = this.fleet.brokers.find((one) => one.id === id);
    if (!broker) throw new Error(`There is no broker ${id}: this cluster has 1 to ${this.fleet.brokers.length}`);
    return broker;
  }

  private startGuard(): void {
    const { detached, temporary = false } = this.lifetime;
    if (!detached) this.guard ??= startGuard(this.directory, { remove: temporary });
  }

  private dismissGuard(): void {
    this.guard?.dismiss();
    this.guard = undefined;
  }
}

function checkHeap(heapMb?: number): void {
  if (heapMb === undefined || (Number.isSafeInteger(heapMb) && heapMb >= HEAP_MB_MIN)) return;
  throw new Error(`The heap of a broker is a whole number of megabytes from ${HEAP_MB_MIN} up, not ${heapMb}`);
}
