import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A simulated machine: its PATH has only the programs of the test, and its cache is empty. */
export class Machine {
  readonly directory = mkdtempSync(join(tmpdir(), 'tidings-machine-'));
  readonly environment: NodeJS.ProcessEnv = { PATH: join(this.directory, 'bin'), HOME: this.directory, MACHINE: this.directory };

  constructor() {
    mkdirSync(join(this.directory, 'bin'));
  }

  /** Installs a program from the source of a CommonJS module; returns its path. */
  install(name: string, source: string): string {
    const file = join(this.directory, 'bin', name);
    writeFileSync(file, `#!${process.execPath}\n${source}\n`, { mode: 0o755 });
    return file;
  }

  /** Links programs of the real machine. */
  borrow(...names: string[]): void {
    for (const name of names)
      symlinkSync(execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(), join(this.directory, 'bin', name));
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
