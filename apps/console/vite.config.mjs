import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defineConfig } from 'vite';

const SITE = path.join(import.meta.dirname, 'dist/site');
const COMPRESSIBLE = /\.(?:js|css|svg)$/;

/** Writes `<file>.br` and `<file>.gz` beside each file that never changes. The page itself has a nonce of each answer. */
const compressed = {
  name: 'compressed-files',
  apply: 'build',
  closeBundle() {
    const folder = path.join(SITE, 'assets');
    for (const name of readdirSync(folder).filter((one) => COMPRESSIBLE.test(one))) {
      const file = path.join(folder, name);
      const content = readFileSync(file);
      writeFileSync(`${file}.br`, brotliCompressSync(content));
      writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
    }
  },
};

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
    rolldownOptions: { onwarn: (warning, warn) => (warning.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : warn(warning)) },
    target: ['chrome123', 'firefox121', 'safari17.5'],
  },
  plugins: [compressed],
  server: { proxy: Object.fromEntries(['/console/api', '^/(?!console)'].map(proxied)) },
});
