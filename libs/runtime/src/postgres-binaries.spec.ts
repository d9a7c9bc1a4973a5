import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repairLinks } from './postgres-binaries';

it('creates the links that an installation without scripts lacks, and replaces dangling ones', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-binaries-'));
  const root = join(folder, 'native');
  mkdirSync(join(root, 'lib'), { recursive: true });
  writeFileSync(join(root, 'lib', 'libpq.so.5.18'), 'library');
  symlinkSync('missing', join(root, 'lib', 'libpq.so.5'));
  const links = ['libpq.so', 'libpq.so.5'].map((name) => ({ source: 'native/lib/libpq.so.5.18', target: `native/lib/${name}` }));
  writeFileSync(join(root, 'pg-symlinks.json'), JSON.stringify(links));

  repairLinks({ root, version: '18.4.0', major: 18 });

  for (const name of ['libpq.so', 'libpq.so.5']) expect(readFileSync(join(root, 'lib', name), 'utf8')).toBe('library');
  rmSync(folder, { recursive: true });
});
