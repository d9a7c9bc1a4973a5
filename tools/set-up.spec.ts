import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const SET_UP = pathToFileURL(path.join(__dirname, 'lib/set-up.mjs')).href;

/** What the tool itself says: it is a module of its own kind, which jest does not load. */
function reasonToBuild(state: { built?: string; digest: string; hasOutput: boolean }): string {
  const program = `import { reasonToBuild } from '${SET_UP}'; process.stdout.write(reasonToBuild(${JSON.stringify(state)}));`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
}

it.each([
  ['this is the first time', { digest: 'a', hasOutput: false }],
  ['this is the first time', { built: 'a', digest: 'a', hasOutput: false }],
  ['whether what is built is up to date is not known', { digest: 'a', hasOutput: true }],
  ['sources have changed', { built: 'a', digest: 'b', hasOutput: true }],
  ['some of what was built is not there', { built: 'a', digest: 'a', hasOutput: true }],
])('says that %s: %j', (reason, state) => expect(reasonToBuild(state)).toBe(reason));
