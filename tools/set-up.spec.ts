import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const SET_UP = pathToFileURL(path.join(__dirname, 'lib/set-up.mjs')).href;

/** Calls the tool in its own process: it is an ES module, which jest does not load. */
function call(name: string, ...parameters: unknown[]): unknown {
  const values = parameters.map((value) => JSON.stringify(value) ?? 'undefined').join(', ');
  const program = `import { ${name} } from '${SET_UP}'; process.stdout.write(JSON.stringify(${name}(${values})) ?? 'null');`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }));
}

it.each([
  ['this is the first time', { digest: 'a', hasOutput: false }],
  ['this is the first time', { built: 'a', digest: 'a', hasOutput: false }],
  ['it is unknown whether the build is up to date', { digest: 'a', hasOutput: true }],
  ['sources have changed', { built: 'a', digest: 'b', hasOutput: true }],
  ['part of the build is missing', { built: 'a', digest: 'a', hasOutput: true }],
])('gives the reason "%s" for %j', (reason, state) => expect(call('reasonToBuild', state)).toBe(reason));

describe('the installation of packages', () => {
  const fastify = { 'node_modules/fastify': { version: '5.0.0', integrity: 'sha512-a' } };
  const older = { 'node_modules/fastify': { version: '4.0.0', integrity: 'sha512-0' } };
  const jest = { 'node_modules/jest': { version: '30.0.0', integrity: 'sha512-b', dev: true } };
  const ofOtherPlatform = { 'node_modules/rolldown-darwin': { version: '1.0.0', integrity: 'sha512-c', optional: true } };
  const wanted = { '': { version: '1.0.0' }, ...fastify, ...jest, ...ofOtherPlatform };

  it.each([
    ['the product', 'a new clone', undefined, false, ['ci', '--omit=dev']],
    ['the product', 'its own installation', fastify, false, null],
    ['the product', 'all packages', { ...fastify, ...jest }, false, null],
    ['the product', 'older packages', older, false, ['ci', '--omit=dev']],
    ['the product', 'older packages, with those for tests', { ...older, ...jest }, false, ['ci']],
    ['tests', 'a new clone', undefined, true, ['ci']],
    ['tests', 'the packages of the product, which may be running', fastify, true, ['install', '--no-save']],
    ['tests', 'all packages', { ...fastify, ...jest }, true, null],
    ['tests', 'older packages', { ...older, ...jest }, true, ['ci']],
  ])('for %s, on %s', (_for, _on, installed, all, command) => {
    expect(call('installation', wanted, installed, all)).toEqual(command);
  });
});
