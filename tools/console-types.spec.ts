import { readFileSync } from 'node:fs';
import path from 'node:path';
import { adminOperations } from '@tidings/gateway/admin/admin-operations';
import { AUDITED_RESOURCES } from '@tidings/contracts/core/audit';
import { openApiDocument } from '@tidings/contracts/core/openapi';
import type { AnyOperation } from '@tidings/contracts/core/request-parts';
import { operations } from '@tidings/contracts/registry';
import { KEY_SCOPES } from '@tidings/contracts/scopes';

interface ConsoleTypes {
  consoleOperations(operations: readonly object[], ofOperators: readonly object[]): readonly AnyOperation[];
  consoleTypes(document: object): Promise<string>;
  consoleValues(values: { keyScopes: readonly string[]; auditedResources: readonly string[] }): string;
}

const made = async (): Promise<ConsoleTypes> => (await import(path.join(__dirname, 'lib/console-types.mjs'))) as ConsoleTypes;
const written = (name: string): string => readFileSync(path.join(__dirname, '../apps/console/src/api', name), 'utf8');

it('has the types of the interface in apps/console/src/api/schema.d.ts; node tools/write-console-types.mjs writes them', async () => {
  const { consoleOperations, consoleTypes } = await made();
  const types = await consoleTypes(openApiDocument(consoleOperations(operations, adminOperations), [], { title: 'Tidings', version: '' }));

  expect(written('schema.d.ts')).toBe(types);
});

it('has the scopes of keys and what audit events are about in apps/console/src/api/values.ts', async () => {
  const { consoleValues } = await made();
  expect(written('values.ts')).toBe(consoleValues({ keyScopes: KEY_SCOPES, auditedResources: AUDITED_RESOURCES }));
});
