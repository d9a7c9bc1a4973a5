import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { licenseOf, MODULES, productPaths } from './dependencies.mjs';

/** The file of these texts, in what is shipped. */
export const LICENSE_TEXTS = 'THIRD-PARTY-LICENSES.txt';

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)(?:$|[.-])/i;

/** The licenses of the packages of other authors in the bundles and in the console, with their texts. */
export function licenseTexts(root) {
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  return productPaths(lock)
    .filter((at) => !lock.packages[at].optional)
    .map((at) => textOf(root, at, lock.packages[at]))
    .join('\n');
}

function textOf(root, at, entry) {
  const folder = path.join(root, at);
  const texts = (existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [])
    .filter((entry) => entry.isFile() && LICENSE_FILE.test(entry.name))
    .map(({ name }) => readFileSync(path.join(folder, name), 'utf8').trim());
  const title = `${at.slice(at.lastIndexOf(MODULES) + MODULES.length)} ${entry.version}: ${licenseOf(entry)}`;
  return [title, '='.repeat(title.length), '', ...texts, ''].join('\n');
}
