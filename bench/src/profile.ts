import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { printTable } from './report';

const FUNCTIONS_SHOWN = 40;
const PARTS_SHOWN = 20;
const ROOT = path.resolve(__dirname, '../..');

/** Stretches of time by `monotonicMs()`. */
export type Stretch = readonly [from: number, to: number];

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  /** µs of the machine's monotonic clock. */
  startTime: number;
  samples: number[];
  timeDeltas: number[];
}

/** The newest profile in a directory; a process with threads leaves several, the main thread's is the largest. */
export function findProfile(directory: string, sinceMs: number): string | undefined {
  const files = readdirSync(directory)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name) => path.join(directory, name))
    .filter((file) => statSync(file).mtimeMs >= sinceMs);
  return files.sort((a, b) => statSync(b).size - statSync(a).size)[0];
}

/** Prints where the time within `stretches` went: by function and by package, itself without what it called. */
export function printProfile(file: string, stretches: readonly Stretch[]): void {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const functions = new Map<string, number>();
  const parts = new Map<string, number>();
  let total = 0;
  let atMs = profile.startTime / 1000;
  profile.samples.forEach((id, index) => {
    const tookMs = (profile.timeDeltas[index] ?? 0) / 1000;
    atMs += tookMs;
    if (!stretches.some(([from, to]) => atMs >= from && atMs <= to)) return;
    const { functionName, url, lineNumber } = frames.get(id)!;
    if (functionName === '(idle)') return;
    total += tookMs;
    const place = placeOf(url);
    add(functions, url ? `${functionName || '(anonymous)'}  ${place}:${lineNumber + 1}` : functionName, tookMs);
    add(parts, url ? partOf(place) : functionName, tookMs);
  });
  const rows = (times: Map<string, number>, limit: number) =>
    [...times]
      .sort(([, a], [, b]) => b - a)
      .slice(0, limit)
      .map(([name, ms]) => [name, ms.toFixed(0), `${((100 * ms) / total).toFixed(1)} %`]);
  printTable('Self time by part, of what was not idle (main thread)', ['part', 'ms', 'share'], rows(parts, PARTS_SHOWN));
  printTable('Self time by function', ['function', 'ms', 'share'], rows(functions, FUNCTIONS_SHOWN));
  console.log(`\nThe whole profile: ${file}`);
}

function add(times: Map<string, number>, name: string, ms: number): void {
  times.set(name, (times.get(name) ?? 0) + ms);
}

function placeOf(url: string): string {
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  return file.startsWith(ROOT) ? path.relative(ROOT, file) : file;
}

/** The package, or the project of ours, that a file belongs to. */
function partOf(place: string): string {
  if (place.startsWith('node:')) return place;
  const packaged = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(place)?.[1];
  return packaged ?? place.split('/').slice(0, 2).join('/');
}
