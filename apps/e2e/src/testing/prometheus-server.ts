import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '@tidings/testing/free-port';
import { waitUntil } from '@tidings/testing/wait-until';
import { Program } from './program';

const START_TIMEOUT_MS = 60_000;

/** One series of an instant query. */
export interface Series {
  metric: Record<string, string>;
  value: [number, string];
}

const isPresent = spawnSync('prometheus', ['--version'], { stdio: 'ignore' }).status === 0;
/** Why Prometheus cannot be started on this machine; undefined where it can, and in CI, where it must. */
export const missingPrometheus = isPresent || process.env.CI === 'true' ? undefined : 'prometheus (Debian: prometheus) is not on the PATH';

/** `it`, or a skipped test that names what is missing. */
export function itWithPrometheus(name: string, test: () => Promise<void>): void {
  if (missingPrometheus) it.skip(`${name} [${missingPrometheus}]`, test);
  else it(name, test);
}

/** A real Prometheus that scrapes every second, with its data in a folder of its own. */
export class PrometheusServer {
  private constructor(
    private readonly url: string,
    private readonly program: Program,
    private readonly folder: string,
  ) {}

  /** Resolves when every target was scraped twice. @param targets ports of this machine, by the name of their pod. */
  static async start(targets: ReadonlyMap<string, number>): Promise<PrometheusServer> {
    const folder = mkdtempSync(path.join(tmpdir(), 'tidings-prometheus-'));
    const configurations = [...targets].map(([pod, port]) => ({ targets: [`127.0.0.1:${port}`], labels: { pod } }));
    const file = path.join(folder, 'prometheus.yml');
    const scraped = { job_name: 'tidings-metrics', static_configs: configurations };
    writeFileSync(file, JSON.stringify({ global: { scrape_interval: '1s', evaluation_interval: '1s' }, scrape_configs: [scraped] }));
    const port = await freePort();
    const program = Program.run('prometheus', {
      parameters: [`--config.file=${file}`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=127.0.0.1:${port}`],
      environment: { PATH: process.env.PATH },
      folder,
    });
    const server = new PrometheusServer(`http://127.0.0.1:${port}`, program, folder);
    const isScraped = async () => {
      const twice = await server.query('count_over_time(up[1m]) >= 2').catch(() => []);
      return twice.length === targets.size;
    };
    try {
      await waitUntil(isScraped, { what: 'Prometheus to scrape every process', timeoutMs: START_TIMEOUT_MS, intervalMs: 250 });
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /** The result of an expression now. Rejects with Prometheus' message where it cannot be evaluated. */
  async query(expr: string): Promise<Series[]> {
    const response = await fetch(`${this.url}/api/v1/query`, { method: 'POST', body: new URLSearchParams({ query: expr }) });
    const { data, error } = (await response.json()) as { data?: { result: Series[] }; error?: string };
    if (!data) throw new Error(`${expr}: ${error}`);
    return data.result;
  }

  async stop(): Promise<void> {
    await this.program.end('SIGTERM');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
