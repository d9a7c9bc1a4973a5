/**
 * Writes the rights of each role into docs/kafka-access.md, k8s/components/strimzi and charts/tidings, from
 * libs/runtime/src/kafka-access.ts. Needs a build.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const runtime = createRequire(path.join(root, 'libs/runtime/dist/'));
const { kafkaAccessSection } = runtime('./kafka-access-page.js');
const { kafkaUsers } = runtime('./kafka-users.js');
const file = path.join(root, 'docs/kafka-access.md');
const begin = '<!-- kafka-access:begin -->\n';
const [before, rest] = readFileSync(file, 'utf8').split(begin);
const after = rest.slice(rest.indexOf('<!-- kafka-access:end -->'));
writeFileSync(file, `${before}${begin}\n${kafkaAccessSection()}\n\n${after}`);

for (const users of ['k8s/components/strimzi/kafka-users.yaml', 'charts/tidings/files/kafka-users.yaml']) {
  mkdirSync(path.dirname(path.join(root, users)), { recursive: true });
  writeFileSync(path.join(root, users), kafkaUsers());
}
