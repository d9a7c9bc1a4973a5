import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@tidings/testing/free-port';
import { type Product, untilReady } from './product';
import { ROOT } from './root';

const STOP_MS_MAX = 40_000;

/** A second process of an app, beside that of a product over Kafka and with its environment. */
export class SecondInstance {
  private child!: ChildProcess;
  private ended!: Promise<void>;

  private constructor(
    readonly app: string,
    /** Of a gateway. */
    readonly port: number,
    private readonly managementPort: number,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  /** Starts it; resolves when it is ready. */
  static async start(product: Product, app: string): Promise<SecondInstance> {
    const [pid] = [...product.nodeProcesses()].find(([, name]) => name === app)!;
    const [port, managementPort] = [await freePort(), await freePort()];
    const instance = new SecondInstance(app, port, managementPort, {
      ...environmentOf(pid),
      ...(app === 'gateway' && { PORT: String(port) }),
      MANAGEMENT_PORT: String(managementPort),
    });
    await instance.start();
    return instance;
  }

  /** Ends it by the signal and starts it again; resolves when it is ready. */
  async restart(signal: NodeJS.Signals): Promise<void> {
    this.child.kill(signal);
    await this.ended;
    await this.start();
  }

  /** Stops it in order, or by SIGKILL when that takes too long. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    const timeout = new AbortController();
    await Promise.race([this.ended, delay(STOP_MS_MAX, undefined, { signal: timeout.signal }).catch(() => undefined)]);
    timeout.abort();
    this.child.kill('SIGKILL');
    await this.ended;
  }

  private async start() {
    const file = path.join(ROOT, 'dist', `${this.app}.js`);
    const child = spawn(process.execPath, [file], { env: this.environment, stdio: 'ignore', detached: true });
    this.child = child;
    this.ended = new Promise((resolve) => child.once('exit', () => resolve()));
    await untilReady(this.managementPort, child);
  }
}

function environmentOf(pid: number): NodeJS.ProcessEnv {
  const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}
