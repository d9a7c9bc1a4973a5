/** Writes the list of metrics into docs/metrics.md, from the table of libs/runtime. Needs a build. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { metricsList } = createRequire(import.meta.url)(path.join(root, 'libs/runtime/dist/metrics-page.js'));
const file = path.join(root, 'docs/metrics.md');
const begin = '<!-- metrics:begin -->\n';
const [before, rest] = readFileSync(file, 'utf8').split(begin);
const after = rest.slice(rest.indexOf('<!-- metrics:end -->'));
writeFileSync(file, `${before}${begin}\n${metricsList()}\n\n${after}`);
