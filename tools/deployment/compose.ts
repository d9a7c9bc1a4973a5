import { parse } from 'yaml';
import { type Environment, ROLES, type Role } from './process-environment';

export interface ComposeService {
  image?: string;
  command?: string[];
  environment?: Record<string, string | null>;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
}

export interface ComposeModel {
  services: Record<string, ComposeService>;
}

/** Reads a Compose file with `variables` put in, as far as `${NAME:-default}` goes; merge keys are followed. */
export function readCompose(text: string, variables: Environment = {}): ComposeModel {
  const filled = text.replaceAll(/\$\{(\w+):-([^}]*)\}/g, (_, name: string, fallback: string) => variables[name] || fallback);
  const other = /\$\{[^}]*\}|\$\w+/.exec(filled);
  if (other) throw new Error(`${other[0]} has no default: a newcomer's first "docker compose up" would miss it`);
  return parse(filled, { merge: true }) as ComposeModel;
}

/** The environments of our processes; the image's own variables first. */
export function environmentsOf({ services }: ComposeModel, image: Environment): Partial<Record<Role, Environment>> {
  const ours = Object.values(services).flatMap(({ command, environment = {} }) => {
    const role = ROLES.find((known) => known === command?.[0]);
    const given = Object.entries(environment).map(([name, value]) => [name, value ?? '']);
    return role ? [[role, { ...image, ...(Object.fromEntries(given) as Environment) }]] : [];
  });
  return Object.fromEntries(ours) as Partial<Record<Role, Environment>>;
}

/** Waits that nothing would end, or that would end too early: for health nobody tells, for the end of what never ends. */
export function orderProblems({ services }: ComposeModel): string[] {
  return Object.entries(services).flatMap(([name, { depends_on = {} }]) =>
    Object.entries(depends_on).flatMap(([other, { condition }]) => {
      const awaited = services[other];
      if (!awaited) return [`${name} waits for ${other}, which is not there`];
      const ends = awaited.command?.[0] === 'migrate';
      if (ends !== (condition === 'service_completed_successfully')) return [`${name} waits for ${other} to be ${condition}`];
      if (!ends && !awaited.healthcheck?.test) return [`${name} waits for the health of ${other}, which has no check`];
      return [];
    }),
  );
}
