/** Writes the table of environment variables into docs/configuration.md, from the table of libs/runtime. Needs a build. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { configurationTable } = createRequire(import.meta.url)(path.join(root, 'libs/runtime/dist/configuration.js'));
const file = path.join(root, 'docs/configuration.md');
const begin = '<!-- configuration:begin -->\n';
const [before, rest] = readFileSync(file, 'utf8').split(begin);
const after = rest.slice(rest.indexOf('<!-- configuration:end -->'));
writeFileSync(file, `${before}${begin}${configurationTable().trim()}\n${after}`);
