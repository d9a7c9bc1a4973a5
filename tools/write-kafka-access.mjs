/** Writes the rights of each role into docs/kafka-access.md, from libs/runtime/src/kafka-access.ts. Needs a build. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { kafkaAccessSection } = createRequire(import.meta.url)(path.join(root, 'libs/runtime/dist/kafka-access-page.js'));
const file = path.join(root, 'docs/kafka-access.md');
const begin = '<!-- kafka-access:begin -->\n';
const [before, rest] = readFileSync(file, 'utf8').split(begin);
const after = rest.slice(rest.indexOf('<!-- kafka-access:end -->'));
writeFileSync(file, `${before}${begin}\n${kafkaAccessSection()}\n\n${after}`);
