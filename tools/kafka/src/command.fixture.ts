import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SourceProcess } from '@tidings/testing/source-process';

const MAIN = require.resolve('./main');

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'tidings-command-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

type Ended = Promise<{ code: number | NodeJS.Signals; output: string }>;

/** Runs the command line on a folder per test; resolves with exit code and output. */
export const run = (...parameters: string[]): Ended => runIn({}, ...parameters, '--dir', join(directory, 'kafka'));

/** Runs the command line with these variables. */
export async function runIn(environment: NodeJS.ProcessEnv, ...parameters: string[]): Ended {
  const command = SourceProcess.start(MAIN, { parameters, environment });
  const code = await command.ended;
  return { code, output: command.output };
}
