import { withSecretFiles } from '@tidings/runtime/configuration';
import { type Environment, ROLES, type Role } from './process-environment';

/** The only super user that a client can be: that of `kafka-access`. */
const SUPER_USER = 'admin';
/** Who connects to a listener without SASL. */
const ANONYMOUS = 'ANONYMOUS';
const AUTHORIZER = 'org.apache.kafka.metadata.authorizer.StandardAuthorizer';

const KAFKA_CLIENTS = ROLES.filter((role) => role !== 'migrate');

/** The principal that a role of a deployment has in Kafka. */
export function principalOf(role: Role): string {
  return role === 'kafka-access' ? SUPER_USER : `tidings-${role}`;
}

/** Users and passwords in a value of `sasl.jaas.config` for SASL/PLAIN. */
export function usersOf(loginModule: string): Record<string, string> {
  const users = loginModule.matchAll(/\buser_([\w-]+)="((?:[^"\\]|\\.)*)"/g);
  return Object.fromEntries([...users].map(([, name, password]) => [name, password!.replaceAll(/\\(.)/g, '$1')])) as Record<string, string>;
}

/** Processes that Kafka refuses, or that share a principal or a password; one sentence each. @param users of Kafka, with their passwords */
export function problemsOfPrincipals(environments: Partial<Record<Role, Environment>>, users: Record<string, string>): string[] {
  const byPassword = new Map<string, Role>();
  return KAFKA_CLIENTS.flatMap((role) => {
    const values = withSecretFiles(environments[role] ?? {});
    const { KAFKA_SASL_USERNAME: name = '', KAFKA_SASL_PASSWORD: password = '' } = values;
    if (!name || !password) return [`${role}: has no principal in Kafka`];
    const other = byPassword.get(password);
    byPassword.set(password, role);
    const problemIf = (wrong: boolean, problem: string): string[] => (wrong ? [`${role}: ${problem}`] : []);
    return [
      ...problemIf(name !== principalOf(role), `KAFKA_SASL_USERNAME is not ${principalOf(role)}`),
      ...problemIf(users[name] !== password, `KAFKA_SASL_PASSWORD is not that of Kafka's user ${name}`),
      ...problemIf(other !== undefined, `KAFKA_SASL_PASSWORD is that of ${other}`),
    ];
  });
}

/** Settings of a broker, as variables of its image, by which a client has rights that no ACL gives it; one sentence each. */
export function problemsOfBroker(environment: Environment): string[] {
  const protocols = new Map(listOf(environment.KAFKA_LISTENER_SECURITY_PROTOCOL_MAP).map((one) => one.split(':') as [string, string]));
  const open = listOf(environment.KAFKA_LISTENERS)
    .map((listener) => /^(\w+):\/\/(.*):\d+$/.exec(listener)!)
    .filter(([, name, host]) => !protocols.get(name!)?.startsWith('SASL_') && host !== 'localhost');
  const superUsers = (environment.KAFKA_SUPER_USERS ?? '').split(';').filter((user) => ![SUPER_USER, ANONYMOUS].includes(nameOf(user)));
  return [
    ...open.map(([, name]) => `the listener ${name} requires no password and is not local`),
    ...superUsers.map((user) => `${nameOf(user)} is a super user`),
    ...(environment.KAFKA_AUTHORIZER_CLASS_NAME === AUTHORIZER ? [] : ['ACLs are not in force']),
    ...(environment.KAFKA_ALLOW_EVERYONE_IF_NO_ACL_FOUND === 'true' ? ['what no ACL mentions is allowed to everyone'] : []),
  ];
}

function nameOf(user: string) {
  return user.replace(/^User:/, '');
}

function listOf(text = '') {
  return text.split(',').filter(Boolean);
}
