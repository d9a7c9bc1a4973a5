import { spawn, spawnSync } from 'node:child_process';

/** Includes a pull of the image. */
const RUN_TIMEOUT_MS = 600_000;
const ANSWER_TIMEOUT_MS = 10_000;
const OUTPUT_CHARACTERS = 2_000;

/** The `docker` of the PATH. */
export class DockerProgram {
  constructor(private readonly environment: NodeJS.ProcessEnv = process.env) {}

  /** Runs a command to its end. @throws Error with Docker's error output when it fails */
  async run(...parameters: string[]): Promise<void> {
    const child = spawn('docker', parameters, { env: this.environment, stdio: ['ignore', 'ignore', 'pipe'], timeout: RUN_TIMEOUT_MS });
    let errorOutput = '';
    child.stderr.on('data', (chunk) => (errorOutput = (errorOutput + String(chunk)).slice(-OUTPUT_CHARACTERS)));
    const end = await new Promise<number | string>((ended, failed) => {
      child.once('error', failed);
      child.once('close', (code, signal) => ended(code ?? signal!));
    });
    if (end !== 0) throw new Error(`docker ${parameters[0]} failed (${end}): ${errorOutput.trim()}`);
  }

  /** The output of a query command (stdout, then stderr), or `undefined` when the command fails. */
  answer(...parameters: string[]): string | undefined {
    const { status, stdout, stderr } = spawnSync('docker', parameters, {
      env: this.environment,
      encoding: 'utf8',
      timeout: ANSWER_TIMEOUT_MS,
    });
    return status === 0 ? `${stdout}${stderr}`.trim() : undefined;
  }
}
