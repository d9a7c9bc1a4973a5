import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as plan from './test-plan.cjs';

const root = path.dirname(__dirname);

/** What a suite does that must not run beside others: it puts a load on, has an upper bound on a time it measured, or holds threads. */
const NEEDS_THE_MACHINE = [
  /\bnew (?:Send|Read)?Load\(/,
  /\bthroughFault\(/,
  /\bmonitorEventLoopDelay\(/,
  /\blongestTurnMs\(/,
  /\bprocess\.cpuUsage\(/,
  /\bENDLESS\b/,
  /performance\.now\(\) - \w+\)\.toBeLess/,
];
const SPEC_IMPORT = /from '(\.{1,2}\/[^']+\.(?:fixture|contract))'/g;

/** Every suite of the tree, as git tracks it or would, from the root. */
function suitesOfTree(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', '*.spec.ts'], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed
    .split('\n')
    .filter((file) => file && existsSync(path.join(root, file)))
    .sort();
}

/** The suites that jest runs for a group, from the root. */
function suitesOfGroup(group: string): string[] {
  const listed = execFileSync(
    process.execPath,
    [path.join(root, 'node_modules/jest/bin/jest.js'), '--listTests', `--filter=${path.join(__dirname, 'lib/filter-group.cjs')}`],
    { cwd: root, encoding: 'utf8', env: { ...process.env, TEST_GROUP: group } },
  );
  return listed
    .split('\n')
    .filter(Boolean)
    .map((file) => path.relative(root, file).split(path.sep).join('/'));
}

/** A suite's text, with that of the fixtures and contracts that it takes in. */
function textOf(file: string, seen = new Set<string>()): string {
  if (seen.has(file) || !existsSync(file)) return '';
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  const imported = [...text.matchAll(SPEC_IMPORT)].map(([, name]) => textOf(`${path.resolve(path.dirname(file), name!)}.ts`, seen));
  return [text, ...imported].join('\n');
}

describe('the plan of tests', () => {
  it('runs every suite of the tree in exactly one group', () => {
    const run = plan.GROUPS.flatMap(suitesOfGroup);

    expect(run.sort()).toEqual(suitesOfTree());
  });

  it('names suites that are there, each once', () => {
    const suites = suitesOfTree();
    const named = plan.RUN_ALONE.map((entry) => ({
      entry: entry.suites,
      suites: suites.filter((suite) => plan.isOf(suite, entry.suites)),
    }));

    expect(named.filter((one) => one.suites.length === 0)).toEqual([]);
    const all = named.flatMap((one) => one.suites);
    expect(all.filter((suite, index) => all.indexOf(suite) !== index)).toEqual([]);
  });

  it('has every suite run alone that measures speed, or puts a load on', () => {
    const needing = suitesOfTree().filter((suite) => {
      const text = textOf(path.join(root, suite));
      return NEEDS_THE_MACHINE.some((mark) => mark.test(text));
    });

    expect(needing.length).toBeGreaterThan(0);
    expect(needing.filter((suite) => plan.groupOf(path.join(root, suite)) !== plan.ALONE)).toEqual([]);
  });
});
