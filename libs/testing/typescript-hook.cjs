/**
 * `node -r` this file runs TypeScript sources as they are, `@tidings/*` included: for tests that need a process of its own to
 * kill, without a build.
 */
const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { transformSync } = require('@swc/core');

const root = path.resolve(__dirname, '../..');
const APPS = fs.readdirSync(path.join(root, 'apps'));
const { jsc } = require('../../jest.preset.cjs')(__dirname).transform['^.+\\.(ts|js|mjs)$'][1];

const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  const [, project, file] = /^@tidings\/([^/]+)\/(.+)$/.exec(request) ?? [];
  if (!project) return resolveFilename.call(this, request, ...rest);
  const folder = project === 'kafka-runner' ? 'tools/kafka' : path.join(APPS.includes(project) ? 'apps' : 'libs', project);
  return path.join(root, folder, 'src', `${file}.ts`);
};

Module._extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(fs.readFileSync(filename, 'utf8'), {
    filename,
    jsc,
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
    swcrc: false,
  });
  module._compile(code, filename);
};

require('reflect-metadata');
