import { spawn } from 'node:child_process';
import path from 'node:path';
import { freePort } from './free-port';
import { pipMissing, pythonPackages } from './installed-tools';
import { waitUntil } from './wait-until';

const REQUIREMENTS = path.join(__dirname, '../moto-requirements.txt');
/** The first start on a machine compiles it. */
const START_MS_MAX = 120_000;

/** A server that stands in for services of AWS, such as SES; any credentials do. */
export interface Moto {
  readonly url: string;
  stop(): Promise<void>;
}

export const moto = {
  /** What this machine lacks to install it, or `undefined`. */
  missing: (): string | undefined => pipMissing('moto'),

  /** Installs it if needed, and starts it. */
  async start(): Promise<Moto> {
    const packages = pythonPackages(REQUIREMENTS);
    const port = await freePort();
    const server = spawn('python3', ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], {
      env: { PATH: process.env.PATH, PYTHONPATH: packages },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let printed = '';
    server.stderr.on('data', (chunk) => (printed += String(chunk)));
    const ended = new Promise<void>((resolve) => server.once('close', () => resolve()));
    const url = `http://127.0.0.1:${port}`;
    const stop = () => {
      server.kill();
      return ended;
    };
    try {
      await waitUntil(
        async () => {
          if (server.exitCode !== null) return true;
          return (await fetch(`${url}/moto-api/data.json`)).ok;
        },
        { what: 'moto', timeoutMs: START_MS_MAX, intervalMs: 100 },
      );
      if (server.exitCode !== null) throw new Error(`moto ended:\n${printed}`);
    } catch (error) {
      await stop();
      throw error;
    }
    return { url, stop };
  },
};
