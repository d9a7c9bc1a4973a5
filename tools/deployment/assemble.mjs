/**
 * `node tools/deployment/assemble.mjs <folder>`: copies the runnable part of a built tree: the command and the bundle. Besides
 * `node_modules` it needs nothing else.
 */
import { cpSync } from 'node:fs';
import path from 'node:path';

const [, , target] = process.argv;
if (!target) throw new Error('A target folder is required: node tools/deployment/assemble.mjs <folder>');

for (const file of ['package.json', 'sbom.cdx.json', 'bin', 'dist']) cpSync(file, path.join(target, file), { recursive: true });
for (const script of ['probe.mjs', 'draw-secrets.mjs']) cpSync(`tools/deployment/${script}`, path.join(target, 'bin', script));
