import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

type DropStaleCache = (cache: string, files: readonly string[]) => () => void;

const root = path.dirname(__dirname);
const CONFIGURATION = `
  import tseslint from '${pathToFileURL(require.resolve('typescript-eslint')).href}';
  export default tseslint.config(tseslint.configs.base, {
    files: ['*.ts'],
    languageOptions: { parserOptions: { project: ['tsconfig.json'], tsconfigRootDir: import.meta.dirname } },
    rules: { '@typescript-eslint/no-floating-promises': 'error' },
  });`;

describe("eslint's cache", () => {
  let folder: string;
  let cache: string;
  let dropStaleCache: DropStaleCache;

  beforeEach(async () => {
    ({ dropStaleCache } = (await import(path.join(__dirname, 'lib/lint-cache.mjs'))) as { dropStaleCache: DropStaleCache });
    folder = mkdtempSync(path.join(tmpdir(), 'tidings-lint-'));
    cache = path.join(folder, 'cache/');
    write('eslint.config.mjs', CONFIGURATION);
    write('tsconfig.json', '{ "compilerOptions": { "target": "es2023", "types": [] }, "include": ["*.ts"] }');
    write('save.ts', 'export function save(): void {}\n');
    write('caller.ts', "import { save } from './save';\nsave();\n");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  const drop = () => dropStaleCache(cache, [path.join(folder, 'save.ts'), path.join(folder, 'caller.ts')]);

  function lint() {
    const eslint = path.join(root, 'node_modules/eslint/bin/eslint.js');
    const { status, stdout } = spawnSync(process.execPath, [eslint, '--cache', '--cache-location', cache, '.'], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { status, finds: stdout.includes('no-floating-promises') };
  }

  it('is dropped when a type changes that an unchanged file uses, whose new error it would conceal', () => {
    drop()();
    expect(lint()).toEqual({ status: 0, finds: false });
    write('save.ts', 'export async function save(): Promise<void> {}\n');
    expect(lint()).toEqual({ status: 0, finds: false }); // the error that the cache conceals
    drop()();
    expect(lint()).toEqual({ status: 1, finds: true });
  });

  it('stays when no file has changed', () => {
    drop()();
    const marker = path.join(cache, 'marker');
    writeFileSync(marker, '');
    drop()();
    expect(() => writeFileSync(marker, '', { flag: 'wx' })).toThrow('EEXIST');
  });
});
