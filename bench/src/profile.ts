import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { printTable } from './report';

const FUNCTIONS_SHOWN = 40;
const PARTS_SHOWN = 20;
const ROOT = path.resolve(__dirname, '../..');

/** A range of time by `monotonicMs()`. */
export type TimeRange = readonly [from: number, to: number];

interface Node {
  id: number;
  callFrame: { functionName: string; url: string; lineNumber: number };
  children?: number[];
}

interface CpuProfile {
  nodes: Node[];
  /** µs of the machine's monotonic clock. */
  startTime: number;
  samples: number[];
  timeDeltas: number[];
}

/**
 * Prints CPU time within `timeRanges`, without idle time: by part, where Node's own functions count for the package or project that
 * called them, and by function (self time).
 */
export function printProfile(name: string, file: string, timeRanges: readonly TimeRange[]): void {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
  const labels = labelsOf(profile.nodes);
  const functions = new Map<string, number>();
  const parts = new Map<string, number>();
  let total = 0;
  let atMs = profile.startTime / 1000;
  profile.samples.forEach((id, index) => {
    const tookMs = (profile.timeDeltas[index] ?? 0) / 1000;
    atMs += tookMs;
    const label = labels.get(id)!;
    if (label.name === '(idle)' || !timeRanges.some(([from, to]) => atMs >= from && atMs <= to)) return;
    total += tookMs;
    add(functions, label.name, tookMs);
    add(parts, label.part, tookMs);
  });
  if (total === 0) return console.log(`\n${name}: no CPU time`);
  const rows = (times: Map<string, number>, limit: number) =>
    [...times]
      .sort(([, a], [, b]) => b - a)
      .slice(0, limit)
      .map(([name, ms]) => [name, ms.toFixed(0), `${((100 * ms) / total).toFixed(1)} %`]);
  printTable(`${name}: time of the main thread by part, including Node functions`, ['part', 'ms', 'share'], rows(parts, PARTS_SHOWN));
  printTable(`${name}: self time by function`, ['function', 'ms', 'share'], rows(functions, FUNCTIONS_SHOWN));
  console.log(`\nThe full profile of ${name}: ${file}`);
}

/** Labels of the nodes. Functions without a file belong to their first caller outside Node. */
function labelsOf(nodes: readonly Node[]): Map<number, { name: string; part: string }> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const callerOf = (node: Node): Node | undefined => {
    for (let parent = byId.get(parents.get(node.id)!); parent; parent = byId.get(parents.get(parent.id)!)) {
      if (isOutside(parent)) return parent;
    }
    return undefined;
  };
  return new Map(
    nodes.map((node) => {
      const { functionName, url, lineNumber } = node.callFrame;
      const name = functionName || '(anonymous)';
      if (isOutside(node)) return [node.id, { name: `${name}  ${sourceFileOf(url)}:${lineNumber + 1}`, part: partOf(sourceFileOf(url)) }];
      if (functionName.startsWith('(')) return [node.id, { name, part: name }];
      const caller = callerOf(node);
      const by = caller ? partOf(sourceFileOf(caller.callFrame.url)) : 'Node itself';
      return [node.id, { name: `${name}  ${url || 'native'} ← ${by}`, part: by }];
    }),
  );
}

/** Whether a function belongs neither to the engine nor to Node. */
const isOutside = ({ callFrame: { url } }: Node): boolean => url !== '' && !url.startsWith('node:');

function add(times: Map<string, number>, name: string, ms: number): void {
  times.set(name, (times.get(name) ?? 0) + ms);
}

function sourceFileOf(url: string): string {
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  return file.startsWith(ROOT) ? path.relative(ROOT, file) : file;
}

/** The package, or the project of this tree, that a file belongs to. */
function partOf(file: string): string {
  const packaged = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
  return packaged ?? file.split('/').slice(0, 2).join('/');
}
