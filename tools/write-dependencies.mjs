/** Writes sbom.cdx.json and docs/dependencies.md from package-lock.json. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { billOfMaterials, dependenciesPage } from './lib/dependencies.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
writeFileSync(path.join(root, 'sbom.cdx.json'), billOfMaterials(lock));
writeFileSync(path.join(root, 'docs/dependencies.md'), dependenciesPage(lock));
