import { problemsOfBroker, problemsOfPrincipals, usersOf } from './kafka-broker';
import { type Environment, type Role, ROLES } from './process-environment';

const KAFKA_ROLES = ROLES.filter((role) => role !== 'migrate');
const nameOf = (role: Role) => (role === 'kafka-access' ? 'admin' : `tidings-${role}`);

const users = Object.fromEntries(KAFKA_ROLES.map((role) => [nameOf(role), `password of ${role}`]));
const environmentOf = (role: Role): Environment => ({
  KAFKA_SASL_USERNAME: nameOf(role),
  KAFKA_SASL_PASSWORD: `password of ${role}`,
});
const environments = () => Object.fromEntries(KAFKA_ROLES.map((role) => [role, environmentOf(role)])) as Record<Role, Environment>;

const BROKER: Environment = {
  KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'CONTROLLER:PLAINTEXT,INTERNAL:PLAINTEXT,CLIENT:SASL_PLAINTEXT',
  KAFKA_LISTENERS: 'CLIENT://:9092,CONTROLLER://localhost:9093,INTERNAL://localhost:9095',
  KAFKA_AUTHORIZER_CLASS_NAME: 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  KAFKA_SUPER_USERS: 'User:admin;User:ANONYMOUS',
};

describe('the rules for principals in Kafka', () => {
  it('accept a principal with a password for each process', () => {
    expect(problemsOfPrincipals(environments(), users)).toEqual([]);
    expect(usersOf('PlainLoginModule required user_admin="a" user_tidings-gateway="b \\"c\\" \\\\";')).toEqual({
      admin: 'a',
      'tidings-gateway': 'b "c" \\',
    });
  });

  it.each<[string, (all: Record<Role, Environment>) => void, string]>([
    ['no principal', (all) => delete all.content.KAFKA_SASL_PASSWORD, 'content: has no principal in Kafka'],
    ["another's principal", (all) => (all.content = all.identity), 'content: KAFKA_SASL_USERNAME is not tidings-content'],
    ["another's password", (all) => (all.content = all.identity), 'content: KAFKA_SASL_PASSWORD is that of identity'],
    ['the super user', (all) => (all.gateway = all['kafka-access']), 'gateway: KAFKA_SASL_USERNAME is not tidings-gateway'],
    [
      'a wrong password',
      (all) => (all.gateway.KAFKA_SASL_PASSWORD = 'x'),
      "gateway: KAFKA_SASL_PASSWORD is not that of Kafka's user tidings-gateway",
    ],
  ])('find a process with %s', (_what, damage, problem) => {
    const damaged = environments();
    damage(damaged);
    expect(problemsOfPrincipals(damaged, users)).toContain(problem);
  });

  it('accept a broker that asks every other machine for a password, with ACLs in force', () => {
    expect(problemsOfBroker(BROKER)).toEqual([]);
  });

  it.each<[Environment, string]>([
    [{ KAFKA_LISTENERS: 'CLIENT://:9092,INTERNAL://:9095' }, 'the listener INTERNAL requires no password and is not local'],
    [{ KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'CLIENT:PLAINTEXT' }, 'the listener CLIENT requires no password and is not local'],
    [{ KAFKA_AUTHORIZER_CLASS_NAME: '' }, 'ACLs are not in force'],
    [{ KAFKA_SUPER_USERS: 'User:admin;User:tidings-gateway' }, 'tidings-gateway is a super user'],
    [{ KAFKA_ALLOW_EVERYONE_IF_NO_ACL_FOUND: 'true' }, 'what no ACL mentions is allowed to everyone'],
  ])('find a broker with %j', (damage, problem) => {
    expect(problemsOfBroker({ ...BROKER, ...damage })).toContain(problem);
  });
});
