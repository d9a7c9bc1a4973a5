import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A machine of its own: nothing is on its PATH but what a test puts there, and nothing has been fetched. */
export class Machine {
  readonly directory = mkdtempSync(join(tmpdir(), 'tidings-machine-'));
  readonly environment: NodeJS.ProcessEnv = { PATH: join(this.directory, 'bin'), HOME: this.directory, MACHINE: this.directory };

  constructor() {
    mkdirSync(join(this.directory, 'bin'));
  }

  /** Puts a program there, as the text of a CommonJS module. Resolves with its path. */
  install(name: string, source: string): string {
    const file = join(this.directory, 'bin', name);
    writeFileSync(file, `#!${process.execPath}\n${source}\n`, { mode: 0o755 });
    return file;
  }

  /** Puts programs there that this machine has. */
  borrow(...names: string[]): void {
    for (const name of names)
      symlinkSync(execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(), join(this.directory, 'bin', name));
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
