import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SourceProcess } from '@tidings/testing/source-process';

const MAIN = require.resolve('./main');

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'tidings-command-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Runs the command line on a folder per test; resolves with exit code and output. */
export async function run(...parameters: string[]): Promise<{ code: number | NodeJS.Signals; output: string }> {
  const command = SourceProcess.start(MAIN, { parameters: [...parameters, '--dir', join(directory, 'kafka')] });
  const code = await command.ended;
  return { code, output: command.output };
}
