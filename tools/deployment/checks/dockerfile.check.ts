import path from 'node:path';
import { itWith } from '@tidings/testing/installed-tools';
import { hadolint } from '../checking-tools';
import { readText, root } from '../repository';

describe('the Dockerfile', () => {
  const itLints = itWith(hadolint);

  itLints('has no mistake that hadolint knows', () => {
    expect(hadolint.run([path.join(root, 'Dockerfile')])).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('starts from a digest of Node, in a version that package.json allows', async () => {
    const { satisfies } = (await import(path.join(root, 'tools/lib/node-version.mjs'))) as {
      satisfies: (version: string, range: string) => boolean;
    };
    const [, version, major] =
      /^# (\d+\.\d+\.\d+);.*\nARG NODE_IMAGE=node:(\d+)-[a-z]+-slim@sha256:[0-9a-f]{64}\nFROM \$\{NODE_IMAGE\} AS base$/m.exec(
        readText('Dockerfile'),
      )!;
    expect(version!.split('.')[0]).toBe(major);
    const { engines } = JSON.parse(readText('package.json')) as { engines: { node: string } };
    expect(satisfies(version!, engines.node)).toBe(true);
  });
});
