import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { licenseOf, locate, MODULES } from './dependencies.mjs';

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)(?:$|[.-])/i;
const IMPORT = /\bfrom '((?:@[^/']+\/)?[^./'][^/']*)/g;

/** The licenses of the packages of other authors in the bundles and in the console, with their texts. */
export function licenseTexts(root) {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const found = new Set();
  const add = (name, from) => {
    const at = locate(packages, name, from);
    if (!at || found.has(at) || packages[at].optional || packages[at].link) return;
    found.add(at);
    const { dependencies = {}, peerDependencies = {} } = packages[at];
    for (const next of Object.keys({ ...dependencies, ...peerDependencies })) add(next, at);
  };
  for (const name of [...Object.keys(packages[''].dependencies), ...packagesOfConsole(root)]) add(name, '');
  return [...found]
    .sort()
    .map((at) => textOf(root, at, packages[at]))
    .join('\n');
}

function packagesOfConsole(root) {
  const sources = path.join(root, 'apps/console/src');
  return readdirSync(sources, { recursive: true })
    .filter((file) => /(?<!\.spec)\.tsx?$/.test(file))
    .flatMap((file) => [...readFileSync(path.join(sources, file), 'utf8').matchAll(IMPORT)].map(([, name]) => name))
    .filter((name) => !name.startsWith('@tidings/'));
}

function textOf(root, at, entry) {
  const folder = path.join(root, at);
  const texts = (existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [])
    .filter((entry) => entry.isFile() && LICENSE_FILE.test(entry.name))
    .map(({ name }) => readFileSync(path.join(folder, name), 'utf8').trim());
  const title = `${at.slice(at.lastIndexOf(MODULES) + MODULES.length)} ${entry.version}: ${licenseOf(entry)}`;
  return [title, '='.repeat(title.length), '', ...texts, ''].join('\n');
}
