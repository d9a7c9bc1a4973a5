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

/** Reads a Compose file with `variables` substituted in `${NAME:-default}`; resolves merge keys. @throws Error for other forms */
export function readCompose(text: string, variables: Environment = {}): ComposeModel {
  const filled = text.replaceAll(/\$\{(\w+):-([^}]*)\}/g, (_, name: string, fallback: string) => variables[name] || fallback);
  const other = /\$\{[^}]*\}|\$\w+/.exec(filled);
  if (other) throw new Error(`${other[0]} has no default: "docker compose up" would fail without it`);
  return parse(filled, { merge: true }) as ComposeModel;
}

/** The environments of the processes; they override the variables of the image. */
export function environmentsOf({ services }: ComposeModel, image: Environment): Partial<Record<Role, Environment>> {
  const environments = Object.values(services).flatMap(({ command, environment = {} }) => {
    const role = ROLES.find((one) => one === command?.[0]);
    const set = Object.entries(environment).map(([name, value]) => [name, value ?? '']);
    return role ? [[role, { ...image, ...(Object.fromEntries(set) as Environment) }]] : [];
  });
  return Object.fromEntries(environments) as Partial<Record<Role, Environment>>;
}

/** Dependencies that never end or end too early, such as a wait for the health of a service without a check. */
export function orderProblems({ services }: ComposeModel): string[] {
  return Object.entries(services).flatMap(([name, { depends_on = {} }]) =>
    Object.entries(depends_on).flatMap(([other, { condition }]) => {
      const awaited = services[other];
      if (!awaited) return [`${name} waits for ${other}, which is missing`];
      const ends = awaited.command?.[0] === 'migrate';
      if (ends !== (condition === 'service_completed_successfully')) return [`${name} waits for ${other} to be ${condition}`];
      if (!ends && !awaited.healthcheck?.test) return [`${name} waits for the health of ${other}, which has no check`];
      return [];
    }),
  );
}
