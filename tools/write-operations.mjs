/** Writes docs/operations.md, and README's short form of it, from the registry of operations. Needs a build. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { operationsList, operationsSummary } = createRequire(import.meta.url)(path.join(root, 'libs/contracts/dist/operations-list.js'));
writeFileSync(path.join(root, 'docs/operations.md'), operationsList());

const readme = path.join(root, 'README.md');
const begin = '<!-- operations:begin -->\n';
const [before, rest] = readFileSync(readme, 'utf8').split(begin);
const after = rest.slice(rest.indexOf('<!-- operations:end -->'));
writeFileSync(readme, `${before}${begin}\n${operationsSummary()}\n\n${after}`);
