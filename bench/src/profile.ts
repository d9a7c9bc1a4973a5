import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { printTable } from './report';

const FUNCTIONS_SHOWN = 40;
const PARTS_SHOWN = 20;
const ROOT = path.resolve(__dirname, '../..');

/** Stretches of time by `monotonicMs()`. */
export type Stretch = readonly [from: number, to: number];

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
 * Prints where the time within `stretches` went, without what was idle: by part, where what Node itself does counts for the
 * package or project that asked for it, and by function, itself without what it called.
 */
export function printProfile(name: string, file: string, stretches: readonly Stretch[]): void {
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
    if (label.name === '(idle)' || !stretches.some(([from, to]) => atMs >= from && atMs <= to)) return;
    total += tookMs;
    add(functions, label.name, tookMs);
    add(parts, label.part, tookMs);
  });
  if (total === 0) return console.log(`\n${name}: nothing to do`);
  const rows = (times: Map<string, number>, limit: number) =>
    [...times]
      .sort(([, a], [, b]) => b - a)
      .slice(0, limit)
      .map(([name, ms]) => [name, ms.toFixed(0), `${((100 * ms) / total).toFixed(1)} %`]);
  printTable(`${name}: time of the main thread by part, with what Node does for it`, ['part', 'ms', 'share'], rows(parts, PARTS_SHOWN));
  printTable(`${name}: self time by function`, ['function', 'ms', 'share'], rows(functions, FUNCTIONS_SHOWN));
  console.log(`\nThe whole profile of ${name}: ${file}`);
}

/** What to call each node: functions without a file are known by the first caller that is not Node's own. */
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
      if (isOutside(node)) return [node.id, { name: `${name}  ${placeOf(url)}:${lineNumber + 1}`, part: partOf(placeOf(url)) }];
      if (functionName.startsWith('(')) return [node.id, { name, part: name }];
      const caller = callerOf(node);
      const by = caller ? partOf(placeOf(caller.callFrame.url)) : 'Node itself';
      return [node.id, { name: `${name}  ${url || 'native'} ← ${by}`, part: by }];
    }),
  );
}

/** Whether a function is neither of the engine nor of Node. */
const isOutside = ({ callFrame: { url } }: Node): boolean => url !== '' && !url.startsWith('node:');

function add(times: Map<string, number>, name: string, ms: number): void {
  times.set(name, (times.get(name) ?? 0) + ms);
}

function placeOf(url: string): string {
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  return file.startsWith(ROOT) ? path.relative(ROOT, file) : file;
}

/** The package, or the project of ours, that a file belongs to. */
function partOf(place: string): string {
  const packaged = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(place)?.[1];
  return packaged ?? place.split('/').slice(0, 2).join('/');
}
