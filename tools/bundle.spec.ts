import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const LOADER = path.join(__dirname, '../bin/load-bundle.cjs');

const bundleOf = (data: string, answer: string) =>
  `// ${data}\n(function (exports, require, module, __filename, __dirname) { exports.answer = () => '${answer}'; })`;

describe('A bundle', () => {
  let folder: string;
  const store = (name: string, content: string): void => writeFileSync(path.join(folder, name), content);

  /** Loads it in a process of its own, since V8 remembers the scripts of a process; then writes its cached data to `dataFile`. */
  function load(dataFile = ''): { answer: string; rejected?: boolean } {
    const file = path.join(folder, 'tidings.js');
    const program = `const { exports, script } = require(${JSON.stringify(LOADER)}).loadBundle(${JSON.stringify(file)});
      const result = { answer: exports.answer(), rejected: script.cachedDataRejected };
      if (${JSON.stringify(dataFile)}) require('node:fs').writeFileSync(${JSON.stringify(path.join(folder, dataFile))}, script.createCachedData());
      console.log(JSON.stringify(result));`;
    return JSON.parse(execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' })) as { answer: string; rejected?: boolean };
  }

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tidings-bundle-'));
    store('tidings.js', bundleOf('one.cache', 'first'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is loaded without cached data, and then with it', () => {
    expect(load('one.cache')).toEqual({ answer: 'first' });
    expect(load()).toEqual({ answer: 'first', rejected: false });
  });

  it('is loaded where V8 rejects the data', () => {
    store('one.cache', 'of another version');

    expect(load()).toEqual({ answer: 'first', rejected: true });
  });

  it('is not loaded with the data of another bundle of the same length', () => {
    load('one.cache');
    store('tidings.js', bundleOf('two.cache', 'other'));

    expect(load()).toEqual({ answer: 'other' });
  });
});

it('is made by the build with an entry for each role of the command', () => {
  const read = (file: string): string => readFileSync(path.join(__dirname, file), 'utf8');
  const roles = /const ROLES = \{\n([\s\S]*?)\n\};/.exec(read('../bin/tidings.mjs'))![1]!.matchAll(/^ {2}'?([\w-]+)'?:/gm);
  const entries = [...read('bundle.mjs').matchAll(/^ {2}'?([\w-]+)'?: '(?:apps|libs)\//gm)].map(([, name]) => name);

  expect(entries).toEqual(expect.arrayContaining([...roles].map(([, name]) => name)));
});
