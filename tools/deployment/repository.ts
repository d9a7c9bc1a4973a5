import { readFileSync } from 'node:fs';
import path from 'node:path';
import { lastOf, parseDockerfile, parseEnvironment } from './dockerfile';
import type { Environment } from './process-environment';

/** The folder of the whole project. */
export const root = path.resolve(__dirname, '../..');

export const readText = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** The environment variables that the image sets. */
export function imageEnvironment(): Environment {
  const environment = lastOf(parseDockerfile(readText('Dockerfile')).at(-1)!, 'ENV');
  return environment ? parseEnvironment(environment) : {};
}
