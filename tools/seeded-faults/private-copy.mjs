/** A copy of the tree in which faults are put: the tree itself is never changed. */
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

/** Packages of ours, which must lead into the copy. */
const OURS = '@tidings';

export class PrivateCopy {
  constructor(root, directory) {
    this.root = root;
    this.directory = directory;
  }

  /** A worktree of what stands in the tree now, committed or not, on the packages and the build of the tree. */
  static make(root) {
    const copy = new PrivateCopy(root, path.join(mkdtempSync(path.join(tmpdir(), 'tidings-seeded-')), 'tree'));
    copy.git('worktree', 'prune');
    copy.git('worktree', 'add', '--quiet', '--detach', copy.directory, copy.git('stash', 'create').trim() || 'HEAD');
    copy.takeUntracked();
    copy.linkPackages();
    return copy;
  }

  /** Synchronous: it is also called while the process exits. Again is the same as once. */
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

  /** Builds what has changed since; what processes of their own run is built. @throws Error with the compiler's words. */
  build() {
    const tsc = path.join(this.directory, 'node_modules/typescript/bin/tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-b'], { cwd: this.directory, encoding: 'utf8' });
    if (status !== 0) throw new Error(`It does not compile:\n${stdout}`);
  }

  /** Before the first fault: what is built in the tree, brought up to date. */
  takeBuild() {
    // As old as in the tree: the compiler goes by times to see that what was built is up to date.
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

  takeUntracked() {
    const files = this.git('ls-files', '-z', '--others', '--exclude-standard').split('\0').filter(Boolean);
    for (const file of files) cpSync(path.join(this.root, file), path.join(this.directory, file), { recursive: true });
  }

  linkPackages() {
    const from = path.join(this.root, 'node_modules');
    const to = path.join(this.directory, 'node_modules');
    mkdirSync(path.join(to, OURS), { recursive: true });
    for (const name of readdirSync(from)) if (name !== OURS) symlinkSync(path.join(from, name), path.join(to, name));
    // Relative, so that they lead into the copy.
    for (const name of readdirSync(path.join(from, OURS))) {
      symlinkSync(readlinkSync(path.join(from, OURS, name)), path.join(to, OURS, name));
    }
  }

  git(...parameters) {
    return execFileSync('git', parameters, { cwd: this.root, encoding: 'utf8' });
  }
}
