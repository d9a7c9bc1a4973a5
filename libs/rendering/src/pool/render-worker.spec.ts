import { execFileSync } from 'node:child_process';
import { RUN_SOURCES } from '@tidings/testing/source-process';

describe('A thread of the pool', () => {
  it('loads no validator: its contracts are constants and types', () => {
    const script = `require(${JSON.stringify(require.resolve('./render-worker'))}); console.log(Object.keys(require.cache).join('\\n'))`;

    const loaded = execFileSync(process.execPath, [...RUN_SOURCES, '-e', script], { encoding: 'utf8' }).split('\n');

    expect(loaded).toContainEqual(expect.stringMatching(/\/handlebars\//));
    expect(loaded.filter((file) => /\/(class-validator|class-transformer|reflect-metadata)\//.test(file))).toEqual([]);
  });
});
