import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.dirname(__dirname);
const TIER = /\.(full|alone|release)\.spec\.ts$/;

interface Row {
  promise: string;
  suites: string[];
  tiers: string;
}

/** Rows of the tables in docs/testing.md that name suites. */
function rowsOfPage(): Row[] {
  const page = readFileSync(path.join(root, 'docs/testing.md'), 'utf8');
  const [, tables] = page.split('## What is proved where\n');
  return tables!.split('\n').flatMap((line) => {
    const [, promise, suites, tiers] = line.split('|').map((cell) => cell.trim());
    const named = [...(suites ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
    return named.length > 0 ? [{ promise: promise!, suites: named, tiers: tiers! }] : [];
  });
}

/** `*` matches within one folder, `**` any number of folders. */
function matcher(pattern: string): RegExp {
  const parts = pattern.split(/(\*\*|\*)/).map((part) => ({ '**': '.*', '*': '[^/]*' })[part] ?? part.replaceAll('.', '\\.'));
  return new RegExp(`^${parts.join('')}$`);
}

const suites = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', '*.spec.ts'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter(Boolean)
  .map((file) => ({ name: file.replace(/(?:\.full|\.alone|\.release)?\.spec\.ts$/, ''), tier: TIER.exec(file)?.[1] ?? 'test' }));

describe('the table of promises in docs/testing.md', () => {
  const rows = rowsOfPage();

  it('lists every suite of the tree', () => {
    const matchers = rows.flatMap((row) => row.suites.map(matcher));
    expect(suites.length).toBeGreaterThan(300);
    expect(suites.filter(({ name }) => !matchers.some((one) => one.test(name)))).toEqual([]);
  });

  it('names existing suites and their tiers', () => {
    expect(rows.length).toBeGreaterThan(20);
    for (const row of rows) {
      const found = row.suites.map((pattern) => ({ pattern, tiers: suites.filter(({ name }) => matcher(pattern).test(name)) }));
      expect({ row: row.promise, missing: found.filter((one) => one.tiers.length === 0).map(({ pattern }) => pattern) }).toEqual({
        row: row.promise,
        missing: [],
      });
      const tiers = new Set(found.flatMap((one) => one.tiers.map(({ tier }) => tier)));
      const shown = ['test', 'full', 'alone', 'release'].filter((tier) => tiers.has(tier)).join(', ');
      expect({ row: row.promise, tiers: row.tiers }).toEqual({ row: row.promise, tiers: shown });
    }
  });
});

/** Kinds of suites (`test` for `*.spec.ts`) that jest runs with this value of TEST_TIER. */
async function kindsRunBy(tier: string): Promise<string[]> {
  const jest = ['node_modules/jest/bin/jest.js', '--listTests', '--passWithNoTests'];
  const { stdout } = await promisify(execFile)(process.execPath, jest, {
    cwd: root,
    env: { ...process.env, TEST_TIER: tier },
    maxBuffer: 8 * 1024 * 1024,
  });
  const kinds = stdout
    .split('\n')
    .filter(Boolean)
    .map((file) => TIER.exec(file)?.[1] ?? 'test');
  return [...new Set(kinds)].sort();
}

describe('a tier', () => {
  it('runs the suites that docs/testing.md assigns to it', async () => {
    const kinds = await Promise.all(['', 'full', 'release'].map(kindsRunBy));
    // Before a release the screens run over Kafka.
    expect(kinds).toEqual([['test'], ['alone', 'full', 'test'], ['full', 'release']]);
  });
});
