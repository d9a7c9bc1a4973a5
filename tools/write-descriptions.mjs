/** Writes libs/contracts/descriptions.json from the docstrings of the contracts; tools/descriptions.spec.ts compares it. Needs no build. */
import { writeFileSync } from 'node:fs';
import { contractDescriptions, DESCRIPTIONS_FILE } from './lib/contract-descriptions.mjs';

writeFileSync(DESCRIPTIONS_FILE, contractDescriptions());
