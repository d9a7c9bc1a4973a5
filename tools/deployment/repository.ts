import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The folder of the whole project. */
export const root = path.resolve(__dirname, '../..');

export const readText = (file: string): string => readFileSync(path.join(root, file), 'utf8');
