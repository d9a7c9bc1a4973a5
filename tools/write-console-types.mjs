/** Writes apps/console/src/api/schema.d.ts from the registry of operations; tools/console-types.spec.ts compares it. Needs a build. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { consoleTypes } from './lib/console-types.mjs';
import { root } from './lib/set-up.mjs';

const require = createRequire(import.meta.url);
const { openApiDocument } = require(path.join(root, 'libs/contracts/dist/core/openapi.js'));
const { operations } = require(path.join(root, 'libs/contracts/dist/registry.js'));
const document = openApiDocument(operations, [], { title: 'Tidings', version: '' });
writeFileSync(path.join(root, 'apps/console/src/api/schema.d.ts'), await consoleTypes(document));
