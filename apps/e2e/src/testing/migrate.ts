import path from 'node:path';
import { ownEnvironment } from './installation';
import { Program } from './program';

const SERVICES = ['identity', 'audience', 'messaging', 'content'];

const passwordOf = (service: string): string => `secret-of-${service}`;

/** Variables with the passwords that `tidings migrate` gives the roles of services. */
export const passwordsOfRoles = Object.fromEntries(SERVICES.map((service) => [`${service.toUpperCase()}_PASSWORD`, passwordOf(service)]));

/** URL of a service's role that has its password of `passwordsOfRoles`. */
export function roleUrl(adminUrl: string, service: string): string {
  return Object.assign(new URL(adminUrl), { username: `tidings_${service}`, password: passwordOf(service) }).href;
}

/** Runs `tidings migrate` of the version below `folder`. @throws Error with its output when it does not end with 0. */
export async function runMigrate(folder: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const parameters = ['migrate'];
  const program = Program.start(path.join(folder, 'bin/tidings.mjs'), { parameters, environment: ownEnvironment(environment) });
  const end = await program.ended;
  if (end !== 0) throw new Error(`tidings migrate ended with ${end}:\n${program.output}`);
  return program.output;
}
