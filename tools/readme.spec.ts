import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { GUIDES, operationsList, operationsSummary } from '@tidings/contracts/operations-list';
import { configurationTable } from '@tidings/runtime/configuration';

const root = path.dirname(__dirname);
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

describe('README', () => {
  it('lists in short which operations are served, and what the others answer', () => {
    const [, shown] = /<!-- operations:begin -->\n([\s\S]*?)<!-- operations:end -->/.exec(read('README.md'))!;
    // To renew it, and docs/operations.md: node tools/write-operations.mjs
    expect(shown!.trim()).toBe(operationsSummary());
  });
});

describe('docs/configuration.md', () => {
  it('shows the table that processes are checked against', () => {
    const [, shown] = /<!-- configuration:begin -->\n([\s\S]*?)<!-- configuration:end -->/.exec(read('docs/configuration.md'))!;
    // To renew it: node tools/write-configuration.mjs
    expect(shown!.trim()).toBe(configurationTable().trim());
  });
});

describe('docs/operations.md', () => {
  it('lists the operations as they are', () => {
    expect(read('docs/operations.md')).toBe(operationsList());
  });

  it('names pages that exist', () => {
    const missing = Object.values(GUIDES)
      .flat()
      .filter((page) => !existsSync(path.join(root, 'docs', page)));
    expect(missing).toEqual([]);
  });
});
