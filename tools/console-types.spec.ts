import { readFileSync } from 'node:fs';
import path from 'node:path';
import { adminOperations } from '@tidings/gateway/admin/admin-operations';
import { openApiDocument } from '@tidings/contracts/core/openapi';
import type { AnyOperation } from '@tidings/contracts/core/request-parts';
import { operations } from '@tidings/contracts/registry';

interface ConsoleTypes {
  consoleOperations(operations: readonly object[], ofOperators: readonly object[]): readonly AnyOperation[];
  consoleTypes(document: object): Promise<string>;
}

it('has the types of the interface in apps/console/src/api/schema.d.ts; node tools/write-console-types.mjs writes them', async () => {
  const { consoleOperations, consoleTypes } = (await import(path.join(__dirname, 'lib/console-types.mjs'))) as ConsoleTypes;
  const types = await consoleTypes(openApiDocument(consoleOperations(operations, adminOperations), [], { title: 'Tidings', version: '' }));

  expect(readFileSync(path.join(__dirname, '../apps/console/src/api/schema.d.ts'), 'utf8')).toBe(types);
});
