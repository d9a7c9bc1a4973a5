/** A copy of the tree to which faults are applied; the tree itself never changes. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Scope of the project's own packages, whose links must lead into the copy. */
const OWN_SCOPE = '@tidings';

export class PrivateCopy {
  constructor(root, directory) {
    this.root = root;
    this.directory = directory;
  }

  /** Creates a worktree with the current state of the tree, committed or not, and links the packages of the tree. */
  static make(root) {
    const copy = new PrivateCopy(root, path.join(mkdtempSync(path.join(tmpdir(), 'tidings-seeded-')), 'tree'));
    copy.git('worktree', 'prune');
    copy.git('worktree', 'add', '--quiet', '--detach', copy.directory, copy.git('stash', 'create').trim() || 'HEAD');
    copy.copyUntracked();
    copy.linkPackages();
    return copy;
  }

  /** Synchronous, because it is also called while the process exits. Idempotent. */
  remove() {
    rmSync(path.dirname(this.directory), { recursive: true, force: true });
    this.git('worktree', 'prune');
  }

  read(file) {
    return readFileSync(path.join(this.directory, file), 'utf8');
  }

  write(file, text) {
    writeFileSync(path.join(this.directory, file), text);
  }

  /** Builds the changed sources: some suites start processes from the build. @throws Error with the compiler's output */
  build() {
    const tsc = path.join(this.directory, 'node_modules/typescript/bin/tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-b'], { cwd: this.directory, encoding: 'utf8' });
    if (status !== 0) throw new Error(`The copy does not compile:\n${stdout}`);
    execFileSync(process.execPath, ['tools/bundle.mjs'], { cwd: this.directory });
  }

  /** Copies the build of the tree, before the first fault. */
  copyBuild() {
    // Keeps the file times of the tree, by which the compiler determines that the build is up to date.
    for (const file of this.git('ls-files', '-z', 'apps', 'libs', 'tools', 'bench', '*.json').split('\0').filter(Boolean)) {
      const [from, to] = [path.join(this.root, file), path.join(this.directory, file)];
      if (existsSync(from) && existsSync(to)) utimesSync(to, statSync(from).atime, statSync(from).mtime);
    }
    for (const group of ['apps', 'libs', 'tools'])
      for (const name of readdirSync(path.join(this.root, group))) {
        const built = path.join(group, name, 'dist');
        if (existsSync(path.join(this.root, built))) {
          cpSync(path.join(this.root, built), path.join(this.directory, built), { recursive: true, preserveTimestamps: true });
        }
      }
  }

  copyUntracked() {
    const files = this.git('ls-files', '-z', '--others', '--exclude-standard').split('\0').filter(Boolean);
    for (const file of files) cpSync(path.join(this.root, file), path.join(this.directory, file), { recursive: true });
  }

  linkPackages() {
    const from = path.join(this.root, 'node_modules');
    const to = path.join(this.directory, 'node_modules');
    mkdirSync(path.join(to, OWN_SCOPE), { recursive: true });
    for (const name of readdirSync(from)) if (name !== OWN_SCOPE) symlinkSync(path.join(from, name), path.join(to, name));
    // Relative, so that they lead into the copy.
    for (const name of readdirSync(path.join(from, OWN_SCOPE))) {
      symlinkSync(readlinkSync(path.join(from, OWN_SCOPE, name)), path.join(to, OWN_SCOPE, name));
    }
  }

  git(...parameters) {
    return execFileSync('git', parameters, { cwd: this.root, encoding: 'utf8' });
  }
}
