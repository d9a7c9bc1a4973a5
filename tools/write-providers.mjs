/** Writes the page of each vendor, docs/providers/<key>.md, from the definitions in libs/providers. Needs a build. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const require = createRequire(path.join(root, 'libs/providers/dist/index.js'));
const { VENDOR_KINDS } = require('./kinds.js');
const { vendorPage } = require('./vendor/vendor-page.js');
const folder = path.join(root, 'docs/providers');
mkdirSync(folder, { recursive: true });
for (const kind of VENDOR_KINDS) writeFileSync(path.join(folder, `${kind.key}.md`), vendorPage(kind));
