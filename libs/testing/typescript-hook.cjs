/**
 * `node -r` this file runs TypeScript sources without a build, `@tidings/*` included: for suites, and for processes and threads they
 * start.
 */
const { createHash, randomUUID } = require('node:crypto');
const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { transformSync, version } = require('@swc/core');

const root = path.resolve(__dirname, '../..');
const APPS = fs.readdirSync(path.join(root, 'apps'));
const OPTIONS = {
  swcrc: false,
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
  },
  module: { type: 'commonjs' },
  sourceMaps: true,
};
const KEY = JSON.stringify([version, OPTIONS]);

const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  const [, project, file] = /^@tidings\/([^/]+)\/(.+)$/.exec(request) ?? [];
  if (!project) return resolveFilename.call(this, request, ...rest);
  const folder = project === 'kafka-runner' ? 'tools/kafka' : path.join(APPS.includes(project) ? 'apps' : 'libs', project);
  return path.join(root, folder, 'src', `${file}.ts`);
};

const CACHE = path.join(root, 'node_modules/.cache/tidings-sources');
const sourceMaps = new Map();

Module._extensions['.ts'] = (module, filename) => {
  const source = fs.readFileSync(filename);
  const digest = createHash('sha256').update(KEY).update(filename).update(source).digest('hex');
  const compiled = path.join(CACHE, `${digest}.js`);
  let code;
  try {
    code = fs.readFileSync(compiled, 'utf8');
  } catch {
    const output = transformSync(source.toString(), { ...OPTIONS, filename });
    code = output.code;
    store(`${compiled}.map`, output.map);
    store(compiled, code);
  }
  sourceMaps.set(filename, `${compiled}.map`);
  module._compile(code, filename);
};

/** Writes the file atomically: many processes compile the same file at once. */
function store(file, text) {
  const draft = `${file}.${randomUUID()}`;
  fs.mkdirSync(CACHE, { recursive: true });
  fs.writeFileSync(draft, text);
  fs.renameSync(draft, file);
}

/** Source map paths of loaded sources, by source path. */
module.exports.sourceMaps = sourceMaps;
