import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { defineConfig } from 'vite';

const SITE = path.join(import.meta.dirname, 'dist/site');
const COMPRESSIBLE = /\.(?:js|css|svg)$/;

/** Writes `<file>.br` and `<file>.gz` beside each file that never changes. The page itself has a nonce of each answer. */
const compressed = {
  name: 'compressed-files',
  apply: 'build',
  async closeBundle() {
    const folder = path.join(SITE, 'assets');
    const names = (await readdir(folder)).filter((name) => COMPRESSIBLE.test(name));
    await Promise.all(names.map((name) => compress(path.join(folder, name))));
  },
};

async function compress(file) {
  const content = await readFile(file);
  await Promise.all([
    promisify(brotliCompress)(content).then((bytes) => writeFile(`${file}.br`, bytes)),
    promisify(gzip)(content, { level: 9 }).then((bytes) => writeFile(`${file}.gz`, bytes)),
  ]);
}

/** `npx vite apps/console` serves the sources, with the interface of a gateway at port 8080. */
const proxied = (pattern) => [pattern, { target: process.env.TIDINGS_URL ?? 'http://127.0.0.1:8080' }];

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  // The gateway replaces it in each answer, by the nonce of the answer's policy.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: SITE,
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Of packages that are also rendered on servers; here all is client.
    rolldownOptions: {
      onwarn: (warning, warn) => (warning.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : warn(warning)),
      checks: { pluginTimings: false },
    },
    target: ['chrome123', 'firefox121', 'safari17.5'],
  },
  plugins: [compressed],
  server: { proxy: Object.fromEntries(['/console/api', '^/(?!console)'].map(proxied)) },
});
