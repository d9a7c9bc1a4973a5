import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { THIS_VERSION } from './replicas';

const run = promisify(execFile);
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
/** What `npm run build` builds, without the tests and without checking types. */
const BUILT = ['gateway', 'identity', 'audience', 'messaging', 'content', 'standalone'].map((app) => `apps/${app}`);

/** The version before, built from the commit in `tools/previous-release`. */
export class PreviousRelease {
  private constructor(readonly folder: string) {}

  /** Clones and builds it: a minute, or three where its packages are others. @throws Error with the output of the failed command. */
  static async build(): Promise<PreviousRelease> {
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'tidings-previous-')));
    const release = new PreviousRelease(folder);
    try {
      const commit = readFileSync(path.join(THIS_VERSION, 'tools/previous-release'), 'utf8').trim();
      await run('git', ['clone', '--quiet', '--shared', '--no-checkout', THIS_VERSION, folder]);
      await run('git', ['-C', folder, 'checkout', '--quiet', '--detach', commit]);
      await release.install();
      await release.inFolder(process.execPath, ['node_modules/typescript/bin/tsc', '-b', '--noCheck', ...BUILT]);
      // Versions up to 0.2.0 have none.
      if (existsSync(path.join(folder, 'tools/bundle.mjs'))) await release.inFolder(process.execPath, ['tools/bundle.mjs']);
    } catch (error) {
      release.remove();
      throw error;
    }
    return release;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Packages by hard links where the lockfile is the same. */
  private async install() {
    const lockfiles = [THIS_VERSION, this.folder].map((root) => readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
    if (lockfiles[0] !== lockfiles[1]) return this.inFolder('npm', ['ci', '--no-audit', '--no-fund']);
    const target = path.join(this.folder, 'node_modules');
    // Symbolic links of workspaces are relative, so they lead to the projects of the clone.
    await run('cp', ['-al', path.join(THIS_VERSION, 'node_modules'), target]).catch(() => {
      if (!existsSync(target)) cpSync(path.join(THIS_VERSION, 'node_modules'), target, { recursive: true, verbatimSymlinks: true });
    });
  }

  private async inFolder(command: string, parameters: readonly string[]) {
    await run(command, parameters, { cwd: this.folder, maxBuffer: OUTPUT_BYTES_MAX }).catch(
      (error: Error & { stdout?: string; stderr?: string }) => {
        throw new Error(`${command} ${parameters.join(' ')} failed:\n${error.stdout ?? ''}${error.stderr ?? ''}`, { cause: error });
      },
    );
  }
}
