/** Third-party packages in the product's bundles and in its console, from package-lock.json: as a CycloneDX document and as a page. */

/** Licenses that a package of the product may have; each permits use, change and distribution without publishing the source. */
export const LICENSES = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'Unlicense',
];

export const MODULES = 'node_modules/';

/** Dependencies that the product is built with: `npm start` needs them, and they are in no bundle. */
const BUILDS = /^(?:@types\/.*|esbuild|typescript-native|vite)$/;

/** Where the packages of the product are: its dependencies, and what they require. */
export function productPaths({ packages }) {
  const found = new Set();
  const add = (name, from) => {
    const at = locate(packages, name, from);
    if (!at || found.has(at) || packages[at].dev || packages[at].link) return;
    found.add(at);
    for (const next of requiredBy(packages[at])) add(next, at);
  };
  for (const name of Object.keys(packages[''].dependencies).filter((one) => !BUILDS.test(one))) add(name, '');
  return [...found].sort();
}

/**
 * The packages of the product, sorted by name and version; one of them may be at several paths. `optional` ones are those of the
 * embedded PostgreSQL, which are in no bundle.
 */
export function productionPackages(lock) {
  const { packages } = lock;
  const found = new Map();
  for (const path of productPaths(lock)) {
    const entry = packages[path];
    const name = entry.name ?? path.slice(path.lastIndexOf(MODULES) + MODULES.length);
    const id = `${name}@${entry.version}`;
    const earlier = found.get(id);
    found.set(id, {
      id,
      name,
      version: entry.version,
      license: licenseOf(entry),
      integrity: entry.integrity,
      optional: Boolean(entry.optional) && (earlier?.optional ?? true),
      runsScript: Boolean(entry.hasInstallScript),
      dependencies: [...new Set([...(earlier?.dependencies ?? []), ...dependenciesAt(packages, path)])].sort(),
    });
  }
  return [...found.values()].sort((one, other) => compare(one.name, other.name) || compare(one.version, other.version));
}

/** A CycloneDX 1.5 document in JSON, a component a line. It has no time and no serial number: the same lock makes the same text. */
export function billOfMaterials(lock) {
  const { name, version, license } = lock.packages[''];
  const own = `pkg:npm/${name}@${version}`;
  const found = productionPackages(lock);
  const isFound = (id) => found.some((one) => one.id === id);
  const lines = (values) => `[\n${values.map((value) => `    ${JSON.stringify(value)}`).join(',\n')}\n  ]`;
  const component = { type: 'application', 'bom-ref': own, name, version, licenses: [{ license: { id: license } }], purl: own };
  const edges = [
    { ref: own, dependsOn: dependenciesAt(lock.packages, '').filter(isFound).map(packageUrl).sort() },
    ...found.map(({ id, dependencies }) => ({ ref: packageUrl(id), dependsOn: dependencies.map(packageUrl) })),
  ];
  return `{
  "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
  "bomFormat": "CycloneDX",
  "specVersion": "1.5",
  "version": 1,
  "metadata": ${JSON.stringify({ component })},
  "components": ${lines(found.map(componentOf))},
  "dependencies": ${lines(edges)}
}
`;
}

/** docs/dependencies.md */
export function dependenciesPage(lock) {
  const found = productionPackages(lock);
  const licenses = [...new Set(found.map(({ license }) => license))].sort();
  const rows = licenses.map((license) => {
    const ids = found.filter((one) => one.license === license).map(({ id }) => id);
    return `| ${license} | ${ids.length} | ${ids.join(', ')} |`;
  });
  return `# Dependencies

\`\`\`sh
node tools/write-dependencies.mjs   # writes this page and sbom.cdx.json from package-lock.json
\`\`\`

[sbom.cdx.json](../sbom.cdx.json) is a CycloneDX 1.5 bill of the third-party packages of the product, with versions,
hashes, licenses and what requires what: those in the bundles of the processes and in the console, and the embedded
PostgreSQL (\`"scope": "optional"\`). The image has it as \`/app/sbom.cdx.json\`, and the texts of the licenses as
\`/app/THIRD-PARTY-LICENSES.txt\`. Packages for development are in neither. \`tools/dependencies.spec.ts\` fails when the
bill or this page differs from package-lock.json, when a source imports a package for development, when a license is
new, and when a package brings an install script that is not listed here.

## Install scripts

Scripts that npm runs at the installation are the shortest way of foreign code onto a machine. These packages have one;
\`allowScripts\` of package.json permits them. All of them are the embedded PostgreSQL. The image contains no
packages but those in its bundles, and is built with \`--ignore-scripts\`.

${found
  .filter(({ runsScript }) => runsScript)
  .map(({ id }) => `- ${id}`)
  .join('\n')}

## Licenses

<!-- prettier-ignore-start -->
| License | Packages | Which |
| --- | --- | --- |
${rows.join('\n')}
<!-- prettier-ignore-end -->
`;
}

/** The identifier of SPDX. `MIT (URL)` is the form of old packages. */
export function licenseOf({ license = 'unknown' }) {
  return license.replace(/ \(https?:[^)]*\)$/, '');
}

/** The packages that the one at `path` gets when it requires its dependencies: those in the nearest `node_modules`. */
function dependenciesAt(packages, path) {
  return requiredBy(packages[path]).flatMap((name) => {
    const entry = packages[locate(packages, name, path)];
    return !entry || entry.dev || entry.link ? [] : [`${entry.name ?? name}@${entry.version}`];
  });
}

function requiredBy({ dependencies = {}, optionalDependencies = {}, peerDependencies = {} }) {
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
}

/** Where the package at `from` finds another one: in the nearest `node_modules`. Undefined for one of no platform of the lock. */
function locate(packages, name, from) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf(`/${MODULES}`)))) {
    const at = `${folder && `${folder}/`}${MODULES}${name}`;
    if (packages[at]) return at;
    if (!folder) return undefined;
  }
}

/** By code units, so that the order is the same in every locale. */
function compare(one, other) {
  return Number(one > other) - Number(one < other);
}

function componentOf({ id, name, version, license, integrity, optional }) {
  const [, group, base] = /^(?:(@[^/]+)\/)?(.+)$/.exec(name);
  const [, algorithm, digest] = /^(sha512)-(\S+)/.exec(integrity);
  return {
    type: 'library',
    'bom-ref': packageUrl(id),
    ...(group && { group }),
    name: base,
    version,
    scope: optional ? 'optional' : 'required',
    hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') }],
    licenses: [{ license: LICENSES.includes(license) ? { id: license } : { name: license } }],
    purl: packageUrl(id),
  };
}

function packageUrl(id) {
  return `pkg:npm/${id.replace(/^@/, '%40')}`;
}
