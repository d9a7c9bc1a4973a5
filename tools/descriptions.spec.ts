import { readFileSync } from 'node:fs';
import path from 'node:path';

interface DescriptionTools {
  contractDescriptions(): string;
  DESCRIPTIONS_FILE: string;
}

it('has the docstrings of the contracts in libs/contracts/descriptions.json; node tools/write-descriptions.mjs writes them', async () => {
  const { contractDescriptions, DESCRIPTIONS_FILE } = (await import(
    path.join(__dirname, 'lib/contract-descriptions.mjs')
  )) as DescriptionTools;
  expect(readFileSync(DESCRIPTIONS_FILE, 'utf8')).toBe(contractDescriptions());
});
