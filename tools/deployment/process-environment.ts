import { ConfigurationError, type ProcessName, loadConfiguration } from '@tidings/runtime/configuration';
import { ENVIRONMENT, type Variable } from '@tidings/runtime/environment-table';

const SERVICES = ['identity', 'audience', 'messaging', 'content'] as const;

/** Every role the image is deployed in. */
export const ROLES = ['gateway', ...SERVICES, 'migrate'] as const;
export type Role = (typeof ROLES)[number];

export type Environment = Record<string, string>;

/** Read by Node and its libraries, not by us. */
const NOT_OURS = ['NODE_ENV'];

/** The configuration makes these optional, for runs that do without; a deployment from nothing does not. */
const NEEDED_HERE: Partial<Record<Role, readonly string[]>> = {
  identity: ['TIDINGS_API_KEY', 'TIDINGS_ACCOUNT_EMAIL'],
  migrate: SERVICES.map(passwordOf),
};

/** What is wrong with the environments of a deployment, a sentence each: process by process, and between them. */
export function problemsOfDeployment(environments: Partial<Record<Role, Environment>>): string[] {
  const alone = ROLES.flatMap((role) => {
    const environment = environments[role];
    return environment ? problemsOfProcess(role, environment).map((problem) => `${role}: ${problem}`) : [`${role}: is not deployed`];
  });
  return [...alone, ...databaseProblems(environments)];
}

/** What is wrong with the environment of one process: unknown, meaningless, malformed or missing variables. */
export function problemsOfProcess(role: Role, environment: Environment): string[] {
  const names = Object.keys(environment).filter((name) => !NOT_OURS.includes(name));
  const missing = (NEEDED_HERE[role] ?? []).filter((name) => !environment[name]).map((name) => `${name} is missing`);
  const readBy = (name: string): readonly ProcessName[] => (ENVIRONMENT as Record<string, Variable>)[name]?.readBy ?? [];
  const meaningless = names.filter((name) => !readBy(name).includes(role)).map((name) => `${name} means nothing here`);
  return [...missing, ...meaningless, ...refusedBy(role, environment)];
}

/** What the process itself would say at its start. */
function refusedBy(role: Role, environment: Environment): readonly string[] {
  try {
    loadConfiguration(role, environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

/** A service that does not connect as `migrate` has set it up would be refused by PostgreSQL. */
function databaseProblems({ migrate = {}, ...environments }: Partial<Record<Role, Environment>>): string[] {
  const admin = urlOf(migrate.ADMIN_DATABASE_URL);
  return SERVICES.flatMap((service) => {
    const url = urlOf(environments[service]?.DATABASE_URL);
    if (!url || !admin) return []; // said already
    const says = (wrong: boolean, problem: string): string[] => (wrong ? [`${service}: DATABASE_URL ${problem}`] : []);
    return [
      ...says(url.host !== admin.host || url.pathname !== admin.pathname, 'is not the database that migrate prepares'),
      ...says(url.username !== `tidings_${service}`, `does not name the role tidings_${service}`),
      ...says(decodeURIComponent(url.password) !== migrate[passwordOf(service)], `does not have the password of ${passwordOf(service)}`),
    ];
  });
}

function passwordOf(service: string): string {
  return `${service.toUpperCase()}_PASSWORD`;
}

function urlOf(text: string | undefined): URL | undefined {
  return text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
}
