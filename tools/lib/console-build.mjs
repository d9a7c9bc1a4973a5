import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'apps/console');
const stamp = path.join(folder, 'dist/inputs');
/** The console's static files: `index.html`, and `assets` with a hash in each name. */
export const CONSOLE_SITE = path.join(folder, 'dist/site');

/** Builds the console's static files, unless they are up to date. */
export async function buildConsole() {
  const digest = digestOfConsole();
  if (existsSync(stamp) && existsSync(CONSOLE_SITE) && readFileSync(stamp, 'utf8') === digest) return;
  // A build that is cut off leaves a part of the site.
  rmSync(stamp, { force: true });
  const { build } = await import('vite');
  await inProduction(() => build({ configFile: path.join(folder, 'vite.config.mjs'), logLevel: 'warn' }));
  writeFileSync(stamp, digest);
}

/** Vite prefers `NODE_ENV` to its own mode: within tests it would build React for development. */
async function inProduction(work) {
  const { NODE_ENV: earlier } = process.env;
  process.env.NODE_ENV = 'production';
  try {
    await work();
  } finally {
    if (earlier === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = earlier;
  }
}

/** Changes with each source of the static files. */
export function digestOfConsole() {
  const sources = readdirSync(path.join(folder, 'src'), { recursive: true }).map((name) => path.join(folder, 'src', name));
  const files = [...sources, path.join(folder, 'index.html'), path.join(folder, 'vite.config.mjs'), path.join(root, 'package-lock.json')];
  const hash = createHash('sha256');
  for (const file of files.filter((one) => statSync(one).isFile() && !/\.(?:spec|d)\.ts$/.test(one)).sort())
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
}
