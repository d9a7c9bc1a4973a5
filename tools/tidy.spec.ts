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

/**
 * Words that docs/glossary.md replaces. Also within identifiers where no other word contains them.
 */
const RETIRED = new RegExp(
  [
    /whoever|nobody|somebody|doorbell|errand|setback|stand-in|patience/,
    /\b(?:told|tells?|said|heard|begun|waker|troubles?|bury|buried|likewise|seat|spared|stretch(?:es)?|places?|strikes|story|stories)\b/,
    /\b(?:taken up|given up|gives up|put off|in place of)\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);
/** Their other meanings: stored names (docs/glossary.md, "Words that stay"), sample texts, an account of the operating system. */
const OTHER_MEANINGS =
  /\bbegun_by\b|\bplace as ordinal\b|\bposition, place\b|'place'|\{place\}|\bplace: '|\(position, place\)|account `?nobody|await_place|"nobody"|'nobody'|LOCK_CLASS\.place|place: advisoryClass|'stretch'|'said'|nobody opens|place of the delivery/g;

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
    const patterns = ['*.ts', '*.mjs', '*.cjs', '*.js', '*.sh', '*.md', '*.yml', '*.yaml', 'Dockerfile', '.ci/run'];
    const searched = files(...patterns, ':!docs/glossary.md', ':!tools/tidy.spec.ts', ':!**/migrations/**', ':!**/golden/**');
    const isRetired = (line: string): boolean => RETIRED.test(line.replace(OTHER_MEANINGS, ''));
    const linesOf = (file: string): string[] => read(file).split('\n');
    const left = searched.flatMap((file) =>
      linesOf(file).flatMap((line, index) => (isRetired(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
    );
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
    const long = files('apps/**/*.ts', 'libs/**/*.ts').filter((file) => read(file).split('\n').length > LINES_MAX);
    expect(long).toEqual([]);
  });
});
