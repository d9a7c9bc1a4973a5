/**
 * `node tools/deployment/assemble.mjs <folder>`: copies the runnable part of a built tree: the command and the bundles, which contain
 * their packages, with licenses and the bill of packages. Besides Node it needs nothing else.
 */
import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LICENSE_TEXTS, licenseTexts } from '../lib/license-texts.mjs';

const [, , target] = process.argv;
if (!target) throw new Error('A target folder is required: node tools/deployment/assemble.mjs <folder>');

for (const file of ['package.json', 'LICENSE', 'sbom.cdx.json', 'bin', 'dist']) cpSync(file, path.join(target, file), { recursive: true });
for (const script of ['probe.mjs', 'draw-secrets.mjs']) cpSync(`tools/deployment/${script}`, path.join(target, 'bin', script));
writeFileSync(path.join(target, LICENSE_TEXTS), licenseTexts('.'));
