import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ServiceName } from '@tidings/contracts/core/operation';

const FILE = 'processes.json';

export interface ListedProcess {
  pid: number;
  /** Where it answers `/health/live`, `/health/ready` and `/metrics`. */
  managementPort: number;
}

/** Which processes run now, by app, in `processes.json` of the data directory: for tools that watch or disturb them. */
export class ProcessList {
  private readonly listed: Partial<Record<ServiceName, ListedProcess>> = {};
  private readonly file: string;

  constructor(directory: string) {
    this.file = path.join(directory, FILE);
  }

  /** Puts a process in the place of the app's earlier one. Whoever reads the file meets the old list or the new one. */
  set(app: ServiceName, entry: ListedProcess): void {
    this.listed[app] = entry;
    const draft = `${this.file}.new`;
    writeFileSync(draft, `${JSON.stringify(this.listed, null, 2)}\n`);
    renameSync(draft, this.file);
  }

  remove(): void {
    rmSync(this.file, { force: true });
  }
}
