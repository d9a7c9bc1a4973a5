import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { itWith } from '@tidings/testing/installed-tools';
import { type Container, ImageBuilder, NODE_VERSION, buildah } from './container-image';
import { ROLES } from './process-environment';
import { readText, root } from './repository';

const BUILD_MS_MAX = 900_000;
/** Of the files that the build adds to its base, in bytes. */
const SIZE_MAX = 40_000_000;

/** The part of sbom.cdx.json that the checks read. */
interface Bill {
  components: { name: string; version: string; scope: string }[];
}

/** Of a folder's files, in bytes. */
function sizeOf(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);
}

describe('the image', () => {
  const itBuilds = itWith(buildah);
  let builder: ImageBuilder;
  let image: Container;

  beforeAll(() => {
    if (buildah.missing()) return;
    builder = new ImageBuilder();
    builder.build(root);
    image = builder.container();
  }, BUILD_MS_MAX);
  afterAll(() => builder?.remove());

  const run = (parameters: string[]) => image.run([...builder.configuration().Entrypoint, ...parameters]);
  const missingOf = (files: string[]) => files.filter((file) => !existsSync(path.join(image.folder, 'app', file)));

  itBuilds('has an account other than root, an entry point without shell, a health check, and no variables for the processes', () => {
    const { Env, ...configuration } = builder.configuration();
    expect(configuration).toMatchObject({
      User: '1000:1000',
      WorkingDir: '/app',
      Entrypoint: ['node', 'bin/tidings.mjs'],
      Healthcheck: { Test: ['CMD', 'node', 'bin/probe.mjs', 'live'] },
      StopSignal: 'SIGTERM',
    });
    expect(Env.map((variable) => variable.split('=')[0]).sort()).toEqual(['NODE_ENV', 'PATH']);
    expect(Env).toContain('NODE_ENV=production');
  });

  itBuilds('runs the Node of the Dockerfile, and is of 40 MB at most beside it', () => {
    expect(image.run(['node', '--version'])).toMatchObject({ status: 0, stdout: `v${NODE_VERSION}\n` });
    const size = sizeOf(path.join(image.folder, 'app'));
    expect(size).toBeGreaterThan(10_000_000);
    expect(size).toBeLessThan(SIZE_MAX);
  });

  itBuilds('lets every role start and report its missing configuration', () => {
    for (const role of ROLES) {
      const { status, stderr } = run([role]);
      expect({ role, status }).toEqual({ role, status: 1 });
      if (role !== 'migrate') expect(stderr).toContain('KAFKA_BROKERS is missing');
      if (role !== 'gateway' && role !== 'kafka-access') expect(stderr).toContain('DATABASE_URL is missing');
      expect(stderr).not.toContain('    at '); // no stack trace
    }
  });

  itBuilds('prints the usage for --help and the known roles for an unknown one', () => {
    const usage = run(['--help']);
    expect(usage).toMatchObject({ status: 0, stderr: '' });
    for (const word of [...ROLES, '--admin-url']) expect(usage.stdout).toContain(word);
    const { status, stdout, stderr } = run(['gatevay']);
    expect(status).not.toBe(0);
    for (const role of ROLES) expect(`${stdout}${stderr}`).toContain(role);
  });

  itBuilds('ships no packages, sources, tests, tools or PostgreSQL, and nothing that its account may write', () => {
    const absent = ['node_modules', 'apps', 'libs', 'tools', 'bench', 'tsconfig.base.json'];
    expect(missingOf(absent)).toEqual(absent);
    expect(missingOf(['dist/gateway.js', 'dist/console/index.html', 'package.json', 'sbom.cdx.json', 'LICENSE'])).toEqual([]);
    expect(image.run(['find', '/app', '-writable', '!', '-type', 'l'])).toMatchObject({ status: 0, stdout: '' });
  });

  itBuilds('has the text of the license of each package in its bundles and its console', () => {
    const texts = readFileSync(path.join(image.folder, 'app/THIRD-PARTY-LICENSES.txt'), 'utf8');
    const { components } = JSON.parse(readFileSync(path.join(image.folder, 'app/sbom.cdx.json'), 'utf8')) as Bill;
    const shipped = components.filter(({ scope }) => scope === 'required');
    expect(shipped.map(({ name }) => name)).toEqual(expect.arrayContaining(['fastify', 'react-dom']));
    expect(shipped.filter(({ name, version }) => !texts.includes(`${name} ${version}: `))).toEqual([]);
    expect(texts).toContain('Copyright (c) Meta Platforms');
  });

  itBuilds('draws the secrets of docker-compose.yml into folders of its account, which no other can read', () => {
    expect(image.run(['node', 'bin/draw-secrets.mjs', '/run/tidings'])).toMatchObject({ status: 0, stderr: '' });
    const folders = image.run(['find', '/run/tidings', '-type', 'd', '!', '-perm', '700']);
    expect(folders).toMatchObject({ status: 0, stdout: '' });
    expect(image.run(['cat', '/run/tidings/identity/TIDINGS_API_KEY']).stdout).toMatch(/^pk_prod_[0-9a-f]{64}\n$/);
  });

  itBuilds('has a probe that fails for a process that is not ready or not running', async () => {
    const server = createServer((request, response) => response.writeHead(request.url === '/health/live' ? 200 : 503).end('{}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const probe = async (check: string) => {
      const child = spawn(process.execPath, [path.join(image.folder, 'app/bin/probe.mjs'), check], {
        env: { MANAGEMENT_PORT: String(port) },
        stdio: 'ignore',
      });
      return new Promise<number | null>((resolve) => child.once('exit', resolve));
    };
    try {
      expect(await probe('live')).toBe(0);
      expect(await probe('ready')).toBe(1);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
    expect(await probe('live')).toBe(1);
  });

  itBuilds('is made of the files that the build reads, without secrets, data, build output and tests', () => {
    const context = mkdtempSync(path.join(tmpdir(), 'tidings-context-'));
    const needed = [
      'package-lock.json',
      'sbom.cdx.json',
      '.npmrc',
      'bin/tidings.mjs',
      'tools/bundle.mjs',
      'tools/lib/console-build.mjs',
      'tools/lib/license-texts.mjs',
      'apps/gateway/src/main.ts',
      'bench/package.json',
    ];
    const foreign = [
      '.env',
      '.tidings/keys',
      '.git/config',
      'apps/gateway/dist/main.js',
      'libs/rpc/node_modules/x',
      'libs/a.spec.ts',
      'docs/a.md',
    ];
    try {
      for (const file of [...needed, ...foreign]) {
        mkdirSync(path.join(context, path.dirname(file)), { recursive: true });
        writeFileSync(path.join(context, file), '');
      }
      writeFileSync(path.join(context, '.dockerignore'), readText('.dockerignore'));
      writeFileSync(path.join(context, 'Dockerfile'), 'FROM scratch\nCOPY . /\n');
      const admitted = new ImageBuilder();
      try {
        admitted.build(context);
        const files = readdirSync(admitted.container().folder, { recursive: true }) as string[];
        expect([...needed, ...foreign].filter((file) => files.includes(file))).toEqual(needed);
      } finally {
        admitted.remove();
      }
    } finally {
      rmSync(context, { recursive: true, force: true });
    }
  });
});
