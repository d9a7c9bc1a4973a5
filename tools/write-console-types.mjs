/** Writes apps/console/src/api/schema.d.ts from the registry of operations; tools/console-types.spec.ts compares it. Needs a build. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { consoleOperations, consoleTypes } from './lib/console-types.mjs';
import { root } from './lib/set-up.mjs';

const require = createRequire(import.meta.url);
const { openApiDocument } = require(path.join(root, 'libs/contracts/dist/core/openapi.js'));
const { operations } = require(path.join(root, 'libs/contracts/dist/registry.js'));
const { adminOperations } = require(path.join(root, 'apps/gateway/dist/admin/admin-operations.js'));
const document = openApiDocument(consoleOperations(operations, adminOperations), [], { title: 'Tidings', version: '' });
writeFileSync(path.join(root, 'apps/console/src/api/schema.d.ts'), await consoleTypes(document));
