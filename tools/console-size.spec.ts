import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const JAVASCRIPT_BYTES_MAX = 200 * 1024;
const PAGE_OF_FIRST_TABLE = 'messages-screen';

interface Builder {
  buildConsole(): Promise<void>;
  CONSOLE_SITE: string;
}

describe("The console's static files", () => {
  let site: string;
  let assets: string[];
  beforeAll(async () => {
    const { buildConsole, CONSOLE_SITE } = (await import(path.join(__dirname, 'lib/console-build.mjs'))) as Builder;
    await buildConsole();
    site = CONSOLE_SITE;
    assets = readdirSync(path.join(site, 'assets'));
  });
  const read = (file: string): string => readFileSync(path.join(site, file), 'utf8');

  /** The file and those that it imports before it runs, of `dist/site/assets`. */
  function withImports(file: string, found = new Set<string>()): Set<string> {
    if (found.has(file)) return found;
    found.add(file);
    const imports = read(`assets/${file}`).matchAll(/(?:\bfrom|\bimport)\s*["']\.\/([^"']+\.js)["']/g);
    for (const [, name] of imports) withImports(name!, found);
    return found;
  }

  it('need at most 200 KB of JavaScript until the first table', () => {
    const [, entry] = /<script[^>]* src="\/console\/assets\/([^"]+)"/.exec(read('index.html'))!;
    const page = assets.find((name) => name.startsWith(PAGE_OF_FIRST_TABLE) && name.endsWith('.js'))!;
    const loaded = [...withImports(page, withImports(entry!))];
    const bytes = loaded.reduce((sum, name) => sum + gzipSync(read(`assets/${name}`)).length, 0);

    expect(loaded.length).toBeGreaterThan(3);
    expect(bytes).toBeLessThanOrEqual(JAVASCRIPT_BYTES_MAX);
    expect(bytes).toBeGreaterThan(JAVASCRIPT_BYTES_MAX / 2); // React alone has more: the sum has left nothing out
  });

  it('are compressed beforehand, and the page has neither code of its own nor addresses of other hosts', () => {
    const texts = assets.filter((name) => /\.(?:js|css|svg)$/.test(name));
    expect(texts.filter((name) => !assets.includes(`${name}.br`) || !assets.includes(`${name}.gz`))).toEqual([]);
    expect(read('index.html')).not.toMatch(/<script(?![^>]* src=)|<style|\bstyle=|\bon\w+=|https?:|(?:src|href)="(?!\/console\/assets\/)/);
  });
});
