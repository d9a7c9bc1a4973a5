import { ConfigurationError, type ProcessName, loadConfiguration, withSecretFiles } from '@tidings/runtime/configuration';
import { ENVIRONMENT, type Variable } from '@tidings/runtime/environment-table';

const SERVICES = ['identity', 'audience', 'messaging', 'content'] as const;

/** The roles in which the image is deployed. */
export const ROLES = ['gateway', ...SERVICES, 'migrate', 'kafka-access'] as const;
export type Role = (typeof ROLES)[number];

export type Environment = Record<string, string>;

/** The roles that run once and end. */
export const JOBS: readonly Role[] = ['migrate', 'kafka-access'];

/** Variables that the configuration makes optional and a new deployment requires. */
const REQUIRED: Partial<Record<Role, readonly string[]>> = {
  identity: ['TIDINGS_API_KEY', 'TIDINGS_ACCOUNT_EMAIL'],
  migrate: SERVICES.map(passwordOf),
};

/** Mistakes in the environments of a deployment, within and between processes; one sentence each. */
export function problemsOfDeployment(environments: Partial<Record<Role, Environment>>): string[] {
  const alone = ROLES.flatMap((role) => {
    const environment = environments[role];
    return environment ? problemsOfProcess(role, environment).map((problem) => `${role}: ${problem}`) : [`${role}: is not deployed`];
  });
  const values = Object.fromEntries(
    Object.entries(environments).map(([role, environment]) => [role, withSecretFiles(environment) as Environment]),
  );
  return [...alone, ...databaseProblems(values), ...signingProblems(values)];
}

/** Mistakes in the environment of one process: unknown, unused, malformed or missing variables. */
export function problemsOfProcess(role: Role, environment: Environment): string[] {
  const names = Object.keys(environment).map((name) => (Object.hasOwn(ENVIRONMENT, name) ? name : name.replace(/_FILE$/, '')));
  const values = withSecretFiles(environment);
  const missing = (REQUIRED[role] ?? []).filter((name) => !values[name]).map((name) => `${name} is missing`);
  const readBy = (name: string): readonly ProcessName[] => (ENVIRONMENT as Record<string, Variable>)[name]?.readBy ?? [];
  const unused = names.filter((name) => !readBy(name).includes(role)).map((name) => `${name} is not read by this process`);
  return [...missing, ...unused, ...refusedBy(role, environment)];
}

/** The problems that the process itself reports at its start. */
function refusedBy(role: Role, environment: Environment): readonly string[] {
  try {
    // As in the image.
    loadConfiguration(role, { ...environment, NODE_ENV: 'production' });
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

/** Mismatches between a service's database URL and the roles of `migrate`, for which PostgreSQL refuses the service. */
function databaseProblems({ migrate = {}, ...environments }: Partial<Record<Role, Environment>>): string[] {
  const admin = urlOf(migrate.ADMIN_DATABASE_URL);
  return SERVICES.flatMap((service) => {
    const url = urlOf(environments[service]?.DATABASE_URL);
    if (!url || !admin) return []; // reported already
    const problemIf = (wrong: boolean, problem: string): string[] => (wrong ? [`${service}: DATABASE_URL ${problem}`] : []);
    return [
      ...problemIf(url.host !== admin.host || url.pathname !== admin.pathname, 'is not the database that migrate prepares'),
      ...problemIf(url.username !== `tidings_${service}`, `does not name the role tidings_${service}`),
      ...problemIf(
        decodeURIComponent(url.password) !== migrate[passwordOf(service)],
        `does not have the password of ${passwordOf(service)}`,
      ),
    ];
  });
}

/** Processes that would refuse each other's records. */
function signingProblems(environments: Partial<Record<Role, Environment>>): string[] {
  const [first, ...others] = ROLES.filter((role) => environments[role] && !JOBS.includes(role));
  return others
    .filter((role) => environments[role]!.TIDINGS_RPC_SECRET !== environments[first!]!.TIDINGS_RPC_SECRET)
    .map((role) => `${role}: TIDINGS_RPC_SECRET is not that of ${first}`);
}

function passwordOf(service: string): string {
  return `${service.toUpperCase()}_PASSWORD`;
}

function urlOf(text: string | undefined): URL | undefined {
  return text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
}
