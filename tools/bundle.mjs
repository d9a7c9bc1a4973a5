/**
 * Bundles the compiled product into `dist/`, unless it is up to date: the bundles, their cached data, a file for each entry, and the
 * console's static files. Names are kept, for stack traces. `npm run build` runs it after the compiler.
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildConsole, CONSOLE_SITE, digestOfConsole } from './lib/console-build.mjs';

/** Files of `dist`, without ending, and the compiled file that each runs. */
const PROCESSES = {
  gateway: 'apps/gateway/dist/main.js',
  identity: 'apps/identity/dist/main.js',
  audience: 'apps/audience/dist/main.js',
  messaging: 'apps/messaging/dist/main.js',
  content: 'apps/content/dist/main.js',
  standalone: 'apps/standalone/dist/main.js',
  'start-kafka': 'apps/standalone/dist/start-kafka.js',
  migrate: 'apps/standalone/dist/migrate/migrate-main.js',
  'kafka-access': 'libs/runtime/dist/kafka-access-main.js',
  check: 'apps/messaging/dist/check/check-main.js',
  replay: 'libs/runtime/dist/replay-main.js',
  operate: 'apps/gateway/dist/admin/command/main.js',
};
/** Bundles and their entries. Threads have one of their own, since each would hold the whole in memory. */
const BUNDLES = { tidings: PROCESSES, rendering: { 'render-worker': 'libs/rendering/dist/pool/render-worker.js' } };
/** Files of `dist/packages`, with a package each: it is loaded at its first use, or starts threads from its own files. */
const PACKAGES = {
  juice: 'juice',
  mjml: 'mjml',
  'openid-client': 'openid-client',
  piscina: 'piscina',
  worker: './node_modules/piscina/dist/worker.js',
};
/** Of a clone alone: it starts programs from its own files. */
const EXTERNAL = ['@tidings/kafka-runner'];
/** Left out: they serve options that the product does not use, MJML's `minify` and the priority of Piscina's threads. */
const UNUSED = ['html-minifier', '@napi-rs/nice'];

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const dist = path.join(root, 'dist');
const stamp = path.join(dist, 'inputs');
const { loadBundle } = createRequire(import.meta.url)('../bin/load-bundle.cjs');

const SETTINGS = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  // The compiler's output alone: the paths of tsconfig.json lead to sources, which have no metadata of decorators.
  tsconfigRaw: '{}',
  // CommonJS, where a package has both kinds: an import and a `require` get the same copy.
  mainFields: ['main', 'module'],
  keepNames: true,
  minifyWhitespace: true,
  lineLimit: 160,
  legalComments: 'none',
  logLevel: 'warning',
};

const digest = digestOfInputs();
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest) {
  const [, ...bundles] = await Promise.all([
    buildConsole(),
    ...Object.entries(BUNDLES).map(async ([name, entries]) => ({ name, entries, source: await bundle(entries) })),
  ]);
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist);
  await build({
    ...SETTINGS,
    entryPoints: PACKAGES,
    outdir: path.join(dist, 'packages'),
    plugins: [{ name: 'unused-packages', setup: leaveUnused }],
  });
  for (const one of bundles) store(one);
  cpSync(CONSOLE_SITE, path.join(dist, 'console'), { recursive: true });
  writeFileSync(stamp, digest);
}

function store({ name, entries, source }) {
  const file = path.join(dist, `${name}.js`);
  const data = `${createHash('sha256').update(source).digest('hex').slice(0, 16)}.cache`;
  writeFileSync(file, `// ${data}\n${source}`);
  for (const entry of Object.keys(entries))
    writeFileSync(
      path.join(dist, `${entry}.js`),
      `module.exports = require('../bin/load-bundle.cjs').runEntry(\`\${__dirname}/${name}.js\`, '${entry}');\n`,
    );
  // What V8 has compiled once all entries are loaded.
  const { exports, script } = loadBundle(file);
  for (const load of Object.values(exports.load)) load();
  writeFileSync(path.join(dist, data), script.createCachedData());
}

/** One function, as `loadBundle` reads it. */
async function bundle(entries) {
  const { outputFiles } = await build({
    ...SETTINGS,
    stdin: { contents: entriesSource(entries), resolveDir: root, sourcefile: 'entries.js' },
    outdir: dist,
    write: false,
    // `import()` becomes `require`: V8 loses the loader of a script with cached data.
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': '__url' },
    banner: {
      js: `(function (exports, require, module, __filename, __dirname) { const __url = require('node:url').pathToFileURL(__filename).href;`,
    },
    footer: { js: '})' },
    external: EXTERNAL,
    plugins: [
      { name: 'packages', setup: usePackages },
      { name: 'optional-packages', setup: leaveMissing },
      { name: 'bundled-typeorm', setup: bundleTypeorm },
    ],
  });
  return outputFiles[0].text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** `run` has a function for each entry; `load` one that loads what the entry imports, and runs nothing. */
function entriesSource(entries) {
  const functions = (bodyOf) =>
    Object.entries(entries).map(([name, file]) => `${JSON.stringify(name)}: () => { ${bodyOf(path.join(root, file))} }`);
  const load = (file) => `require(${JSON.stringify(file)})`;
  const importsOf = (file) =>
    [...readFileSync(file, 'utf8').matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) =>
      load(name.startsWith('.') ? path.join(path.dirname(file), `${name}.js`) : name),
    );
  return `exports.run = { ${functions((file) => `return ${load(file)};`)} };
exports.load = { ${functions((file) => importsOf(file).join('; '))} };`;
}

/** Loads packages from their files. */
function usePackages({ onResolve }) {
  const names = Object.keys(PACKAGES).filter((name) => PACKAGES[name] === name);
  onResolve({ filter: new RegExp(`^(?:${names.join('|')})$`) }, ({ path: name }) => ({ path: `./packages/${name}.js`, external: true }));
}

/** Unused packages are empty. */
function leaveUnused({ onResolve, onLoad }) {
  onResolve({ filter: new RegExp(`^(?:${UNUSED.join('|')})$`) }, ({ path: name }) => ({ path: name, namespace: 'unused' }));
  onLoad({ filter: /^/, namespace: 'unused' }, () => ({ contents: '' }));
}

/** Optional packages that are not installed stay calls of `require`, which their callers catch. */
function leaveMissing({ onResolve, resolve }) {
  onResolve({ filter: /^[^./]/ }, async ({ path: name, pluginData, ...from }) => {
    if (pluginData === leaveMissing || name.startsWith('node:')) return undefined;
    const { errors } = await resolve(name, { ...from, pluginData: leaveMissing });
    return errors.length > 0 ? { path: name, external: true } : undefined;
  });
}

/** `@nestjs/typeorm` looks for exports of older versions in TypeORM's own files, and so loads it twice: a fifth of the CPU of a start. */
function bundleTypeorm({ onLoad }) {
  onLoad({ filter: /@nestjs[\\/]typeorm[\\/]dist[\\/]common[\\/]typeorm-compat\.js$/ }, ({ path: file }) => {
    const source = readFileSync(file, 'utf8');
    const contents = source.replace('const require = createRequire(import.meta.url);', '');
    if (contents === source) throw new Error(`${file} loads TypeORM in another way`);
    return { contents };
  });
}

/** Changes with each compiled file, with the console's sources, with the packages, with Node and with this file. */
function digestOfInputs() {
  const compiled = ['apps', 'libs']
    .flatMap((group) => readdirSync(path.join(root, group)).map((name) => path.join(root, group, name, 'dist')))
    // The console's files are made below, after this digest, from the sources of its own.
    .filter((folder) => existsSync(folder) && !CONSOLE_SITE.startsWith(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => path.join(folder, file)))
    .filter((file) => file.endsWith('.js'))
    .sort();
  const hash = createHash('sha256').update(process.version).update(digestOfConsole());
  for (const file of [fileURLToPath(import.meta.url), path.join(root, 'package-lock.json'), ...compiled]) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}
