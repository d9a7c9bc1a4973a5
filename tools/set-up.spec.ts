import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const SET_UP = pathToFileURL(path.join(__dirname, 'lib/set-up.mjs')).href;

/** Calls the tool in its own process: it is an ES module, which jest does not load. */
function reasonToBuild(state: { built?: string; digest: string; hasOutput: boolean }): string {
  const program = `import { reasonToBuild } from '${SET_UP}'; process.stdout.write(reasonToBuild(${JSON.stringify(state)}));`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
}

it.each([
  ['this is the first time', { digest: 'a', hasOutput: false }],
  ['this is the first time', { built: 'a', digest: 'a', hasOutput: false }],
  ['it is unknown whether the build is up to date', { digest: 'a', hasOutput: true }],
  ['sources have changed', { built: 'a', digest: 'b', hasOutput: true }],
  ['part of the build is missing', { built: 'a', digest: 'a', hasOutput: true }],
])('gives the reason "%s" for %j', (reason, state) => expect(reasonToBuild(state)).toBe(reason));
