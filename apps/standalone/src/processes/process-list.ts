import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ServiceName } from '@tidings/contracts/core/operation';

const FILE = 'processes.json';

export interface ListedProcess {
  pid: number;
  /** Where it answers `/health/live`, `/health/ready` and `/metrics`. */
  managementPort: number;
}

/** The running processes by app, in `processes.json` of the data directory: for tools that watch or kill them. */
export class ProcessList {
  private readonly listed: Partial<Record<ServiceName, ListedProcess>> = {};
  private readonly file: string;

  constructor(directory: string) {
    this.file = path.join(directory, FILE);
  }

  /** Replaces the app's earlier process. The rename is atomic: readers see the old list or the new one. */
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
