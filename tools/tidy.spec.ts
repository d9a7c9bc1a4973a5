import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.dirname(__dirname);

/** Files that git tracks or would track. */
function files(...patterns: string[]): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed.split('\n').filter(Boolean);
}

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** Words that docs/glossary.md replaces: in sentences, in names and in the words of a name (`lastHeardAt`). */
const RETIRED = new RegExp(
  [
    /whoever|nobody|somebody|doorbell|errand|setback|stand-in|patience/,
    /\b(?:told|tells?|said|heard|begun|waker|troubles?|bury|buried|likewise|seat|spared|stretch(?:es)?|places?|strikes|story|stories)\b/,
    /\b(?:asked|away|bells?|gates?|gone|hangs?|held|pulse|restate(?:s|ments?)?|twins?|voices?|walks?)\b/,
    /\b(?:taken up|given up|gives up|put off|in place of|in turns?|its turn|turn of|under way)\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);
/** Retired in names only: in a sentence they are ordinary words. */
const RETIRED_IN_NAMES =
  /\b(?:asks?|doors?|hear|holds?|keep(?:er|s)?|kept|known|look(?:s|ing)?|reading|rooms?|says?|taken|turns?|unread|ways?)\b/i;
/** Their other meanings: stored and foreign names (docs/glossary.md, "Words that stay"), sample texts, an account of the operating system. */
const OTHER_MEANINGS = new RegExp(
  [
    /\bbegun_by\b|\bgone_at\b|'audience-gate'|'bell'|@property bell|\bbell: '/,
    /\bposition, place\b|'place'|await_place|LOCK_CLASS\.place|place: advisoryClass|maxDecimalPlaces|'stretch'/,
    /\{place\}|\bplace: '|place of the delivery|nobody opens|you asked for|'said'|'nobody'/,
    /keep_?alive|wal_keep_size|keepComments|keepClassNames|keepNames|known_?fields|look_?up/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);

/** A text with its names split into their words. */
const wordsOf = (text: string): string => text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll('_', ' ');

/** The names in a line: what it declares, and identifiers of several words. */
function namesIn(line: string): string[] {
  const declared = [...line.matchAll(/\b(?:const|let|readonly|function|class|interface) (\w+)/g)].map(([, name]) => name!);
  return [...declared, ...(line.match(/\w+/g) ?? []).filter((name) => wordsOf(name) !== name)];
}

function hasRetiredWord(line: string): boolean {
  const rest = line.replace(OTHER_MEANINGS, '');
  return RETIRED.test(wordsOf(rest)) || namesIn(rest).some((name) => RETIRED_IN_NAMES.test(wordsOf(name)));
}

describe('the whole tree', () => {
  it('has no skipped and no exclusive test', () => {
    const offenders = files('*.spec.ts', '*.e2e.ts').filter((file) =>
      /\b(?:it|test|describe)\.(?:only|skip|todo)\b|\bx(?:it|describe)\(/.test(read(file)),
    );
    expect(offenders).toEqual(['tools/tidy.spec.ts'].filter((file) => offenders.includes(file)));
  });

  it('names no host of a package registry and no absolute folder of a machine', () => {
    const forbidden = new RegExp(['registry\\.' + 'npmjs', 'repo\\.' + 'maven', '/ro' + 'ot/', '/ho' + 'me/\\w'].join('|'));
    const offenders = files('*.ts', '*.mjs', '*.md', '*.json', '*.yml', '*.yaml').filter((file) => forbidden.test(read(file)));
    expect(offenders).toEqual([]);
  });

  it('gives every prepared statement a unique name', () => {
    const names = files('apps/**/*.ts', 'libs/**/*.ts').flatMap((file) =>
      file.endsWith('.spec.ts') ? [] : [...read(file).matchAll(/\bstatement\(\s*'([^']+)'/g)].map(([, name]) => name!),
    );
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('uses no retired word', () => {
    const patterns = ['*.ts', '*.tsx', '*.mjs', '*.cjs', '*.js', '*.sh', '*.md', '*.yml', '*.yaml', 'Dockerfile', '.ci/run'];
    const searched = files(...patterns, ':!docs/glossary.md', ':!tools/tidy.spec.ts', ':!**/migrations/**', ':!**/golden/**', ':!*.d.ts');
    const left = searched.flatMap((file) => {
      const lines = read(file)
        .split('\n')
        .map((line, index) => ({ line, at: `${file}:${index + 1} ${line.trim()}` }));
      // A path is a name too: `libs/testing/src/latch.ts` has the words of `libs_testing_src_latch_ts`.
      return [{ line: file.replace(/\W/g, '_'), at: file }, ...lines].flatMap(({ line, at }) => (hasRetiredWord(line) ? [at] : []));
    });
    expect(left).toEqual([]);
  });

  it('says where it calls `statement` why that is SQL', () => {
    const sources = files('apps/**/*.ts', 'libs/**/*.ts', 'bench/**/*.ts', ':!*.spec.ts', ':!*.fixture.ts', ':!*.e2e.ts', ':!*migrations*');
    const written = sources.filter((file) => /\b(?:statement|dueStatements|claimStatements)\(/.test(read(file)));
    expect(written.length).toBeGreaterThan(50);
    const silent = written.filter((file) => !/^\s*\/\/ SQL because .+/m.test(read(file)));
    expect(silent).toEqual(['libs/persistence/src/statement.ts']); // defines it
  });

  it('has no line of prose beyond 120 columns', () => {
    const COLUMNS_MAX = 120;
    const CODE = /^ *```.*\n[^]*?^ *```$/gm;
    const TABLE_ROW_OR_LINK = /^ *\||^ *(?:- )?(?:\[[^\]]*\]\(\S+\)|<?https?:\S+)$/;
    const isLong = (line: string): boolean => line.length > COLUMNS_MAX && !TABLE_ROW_OR_LINK.test(line);
    const proseOf = (file: string): string => read(file).replace(CODE, (code) => code.replace(/.+/g, ''));
    const long = files('README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs/*.md').flatMap((file) =>
      proseOf(file)
        .split('\n')
        .flatMap((line, index) => (isLong(line) ? [`${file}:${index + 1} ${line}`] : [])),
    );
    expect(long).toEqual([]);
  });

  it('has no source file of more than 400 lines', () => {
    const LINES_MAX = 400;
    const long = files('apps/**/*.ts', 'apps/**/*.tsx', 'libs/**/*.ts', ':!*.d.ts').filter(
      (file) => read(file).split('\n').length > LINES_MAX,
    );
    expect(long).toEqual([]);
  });
});
