import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.dirname(__dirname);
const TOOL = path.join(__dirname, 'seeded-faults');
const FAULTS_MIN = 60;
const PACKAGES = [
  ...['gateway', 'identity', 'audience', 'messaging', 'content', 'standalone'],
  ...['contracts', 'rpc', 'events', 'persistence', 'preferences', 'providers', 'rendering', 'runtime', 'kafka', 'jobs'],
];

interface Fault {
  id: string;
  package: string;
  category: string;
  breaks: string;
  file: string;
  find: string;
  replace: string;
  suites: string[];
}

interface Catalogue {
  loadFaults(folder: string): Promise<Fault[]>;
  textWithFault(root: string, fault: Fault): string;
  filesOfSuite(root: string, suite: string): string[];
  chosenFaults(faults: Fault[], words: string[]): Fault[];
}

interface Page {
  withTables(page: string, faults: Fault[]): string;
}

describe('the seeded faults', () => {
  let catalogue: Catalogue;
  let faults: Fault[];

  beforeAll(async () => {
    catalogue = (await import(path.join(TOOL, 'catalogue.mjs'))) as Catalogue;
    faults = await catalogue.loadFaults(path.join(TOOL, 'faults'));
  });

  const problemsOf = (check: (fault: Fault) => unknown): string[] =>
    faults.flatMap((fault) => {
      try {
        check(fault);
        return [];
      } catch (error) {
        return [`${fault.id}: ${(error as Error).message}`];
      }
    });

  it('are at least sixty, cover every package and have unique ids', () => {
    expect(faults.length).toBeGreaterThanOrEqual(FAULTS_MIN);
    expect([...new Set(faults.map((fault) => fault.package))].sort()).toEqual([...PACKAGES].sort());
    expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length);
    expect(faults.filter((fault) => !fault.id.startsWith(`${fault.package}-`)).map(({ id }) => id)).toEqual([]);
  });

  it('describe in one sentence what breaks', () => {
    expect(faults.filter(({ breaks }) => !/^[A-Z].*\.$/.test(breaks)).map(({ id }) => id)).toEqual([]);
  });

  it('still apply: the text to find occurs once in its file', () => {
    expect(problemsOf((fault) => catalogue.textWithFault(root, fault))).toEqual([]);
    expect(faults.filter(({ find, replace }) => find === replace).map(({ id }) => id)).toEqual([]);
  });

  it('name suites that exist', () => {
    expect(faults.filter(({ suites }) => suites.length === 0).map(({ id }) => id)).toEqual([]);
    expect(problemsOf(({ suites }) => suites.map((suite) => catalogue.filesOfSuite(root, suite)))).toEqual([]);
  });

  it('are chosen by id, package, category or a part of the id', () => {
    const [first] = faults as [Fault];
    expect(catalogue.chosenFaults(faults, [])).toEqual(faults);
    expect(catalogue.chosenFaults(faults, [first.id])).toEqual([first]);
    expect(catalogue.chosenFaults(faults, ['identity']).map((fault) => fault.package)).toContain('identity');
    expect(catalogue.chosenFaults(faults, ['sealing']).map(({ category }) => category)).toContain('sealing');
    expect(() => catalogue.chosenFaults(faults, ['no-such-fault'])).toThrow('no-such-fault');
  });

  it('are listed in docs/seeded-faults.md', async () => {
    const { withTables } = (await import(path.join(TOOL, 'page.mjs'))) as Page;
    const page = readFileSync(path.join(root, 'docs/seeded-faults.md'), 'utf8');
    // To update it: node tools/seeded-faults/run.mjs --write
    expect(page).toBe(withTables(page, faults));
  });
});
