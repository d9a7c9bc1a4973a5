/** Writes apps/console/src/api/schema.d.ts and values.ts from the contracts; tools/console-types.spec.ts compares them. Needs a build. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { consoleOperations, consoleTypes, consoleValues } from './lib/console-types.mjs';
import { root } from './lib/set-up.mjs';

const require = createRequire(import.meta.url);
const { openApiDocument } = require(path.join(root, 'libs/contracts/dist/core/openapi.js'));
const { operations } = require(path.join(root, 'libs/contracts/dist/registry.js'));
const { adminOperations } = require(path.join(root, 'apps/gateway/dist/admin/admin-operations.js'));
const { KEY_SCOPES: keyScopes } = require(path.join(root, 'libs/contracts/dist/scopes.js'));
const { AUDITED_RESOURCES: auditedResources } = require(path.join(root, 'libs/contracts/dist/core/audit.js'));
const document = openApiDocument(consoleOperations(operations, adminOperations), [], { title: 'Tidings', version: '' });
const folder = path.join(root, 'apps/console/src/api');
writeFileSync(path.join(folder, 'schema.d.ts'), await consoleTypes(document));
writeFileSync(path.join(folder, 'values.ts'), consoleValues({ keyScopes, auditedResources }));
