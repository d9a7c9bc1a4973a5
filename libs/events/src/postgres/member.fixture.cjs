// A process that a spec kills. Runs the TypeScript sources, since specs must not need a build.
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const { transformSync } = require('@swc/core');

const root = join(__dirname, '../../../..');
const resolve = Module._resolveFilename;
Module._resolveFilename = (request, ...rest) => {
  const [, library, path] = /^@tidings\/([^/]+)\/(.*)$/.exec(request) ?? [];
  return resolve(library ? `${root}/libs/${library}/src/${path}.ts` : request, ...rest);
};
require.extensions['.ts'] = (module, file) => {
  const { code } = transformSync(readFileSync(file, 'utf8'), {
    filename: file,
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    },
    module: { type: 'commonjs' },
  });
  module._compile(code, file);
};

const { PostgresEventLog } = require('./postgres-event-log.ts');

async function main() {
  const log = await PostgresEventLog.connect({ databaseUrl: process.env.DATABASE_URL, applicationName: 'spec-member' });
  const topic = { topic: process.argv[2], compacted: false, retentionMs: 14 * 86_400_000 };
  await log.consume(topic, { group: 'g', maxBatch: 1 }, async (batch) => {
    if (batch[0].payload.number > 10) await new Promise(() => {});
    process.send(batch.map(({ payload }) => payload.number));
  });
}
void main();
// The spec has ended and cannot kill this process any more.
process.on('disconnect', () => process.exit(1));
