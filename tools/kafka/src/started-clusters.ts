import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readPlan } from './cluster-plan';

/** One folder a line: the folder of a cluster has no line break in its name. */
const FILE = resolve(__dirname, '../../../node_modules/.tidings/kafka-clusters');

/** Absolute folders of the clusters that this clone started and that still have data, the latest first. */
export function startedClusters(): string[] {
  let text: string;
  try {
    text = readFileSync(FILE, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').filter((directory) => directory !== '' && readPlan(directory) !== undefined);
}

/** Notes that this clone started a cluster in the folder. A clone that cannot be written to has no notes. */
export function noteStartedCluster(directory: string): void {
  const others = startedClusters().filter((one) => one !== directory);
  const draft = `${FILE}.${process.pid}`;
  try {
    mkdirSync(dirname(FILE), { recursive: true });
    writeFileSync(draft, [directory, ...others, ''].join('\n'));
    renameSync(draft, FILE);
  } catch {
    // Without the note `status` needs `--dir`.
  }
}
