import 'reflect-metadata';
import { parseArgs } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import type { ServiceName } from '@tidings/contracts/core/operation';
import { allow, disallow, type Grant } from '@tidings/kafka/acls';
import { KafkaAdmin } from '@tidings/kafka/admin';
import { createKafkaClient } from '@tidings/kafka/client';
import { type Configuration, ConfigurationError } from './configuration';
import { commonReplyAccess, consumerAccess, KAFKA_ROLES, kafkaAccess, kafkaPrincipalOf } from './kafka-access';
import { retryUntilAvailable } from './retry-until-available';
import { runCommand } from './run-command';

/** Kafka's errors that no retry ends, with what is to be done. */
const REFUSALS: Readonly<Record<string, string>> = {
  SECURITY_DISABLED: 'the brokers have no authorizer: set authorizer.class.name',
  CLUSTER_AUTHORIZATION_FAILED: 'the principal of this command may not alter ACLs: name it in super.users',
  KafkaJSSASLAuthenticationError: 'the brokers refuse KAFKA_SASL_USERNAME with this password',
};
const CAUSES_MAX = 10;

/** Principals by the arguments of the command line. */
interface Principals {
  /** Of a role, where it is not `tidings-<role>`. */
  roles: Partial<Record<string, string>>;
  /** Of consumers outside the product, each with its group. */
  consumers: [principal: string, group: string][];
}

/**
 * Gives the principal of each role its rights in Kafka, and each consumer the rights to read the topics of the interface in its group.
 * Idempotent; other ACLs stay. The rights for records without signatures are given while `TIDINGS_RPC_UNSIGNED=accept`, and removed else.
 * @returns lines that describe what was done.
 */
async function giveRights({ kafka }: Configuration, { roles, consumers }: Principals, logger: LoggerService, signal: AbortSignal) {
  const { brokers, topicPrefix, signing } = kafka!; // KAFKA_BROKERS is required of this command
  const principalOf = (role: ServiceName) => roles[role] ?? kafkaPrincipalOf(role);
  const ofRoles = KAFKA_ROLES.map((role) => ({ role, principal: principalOf(role), rights: kafkaAccess(role, topicPrefix) }));
  const ofConsumers = consumers.map(([principal, group]) => ({ principal, rights: consumerAccess(`${topicPrefix}${group}`, topicPrefix) }));
  const ofCommonReplies: Grant[] = ofRoles.map(({ principal }) => ({ principal, rights: commonReplyAccess(topicPrefix) }));

  const admin = new KafkaAdmin(createKafkaClient(kafka!, 'tidings-kafka-access'));
  const apply = async () => {
    try {
      const common = signing.acceptsUnsigned ? ofCommonReplies : [];
      await admin.request((client) => allow(client, [...ofRoles, ...ofConsumers, ...common]));
      if (!signing.acceptsUnsigned) await admin.request((client) => disallow(client, ofCommonReplies));
    } catch (error) {
      throw refusalOf(error) ?? error;
    }
  };
  try {
    // The brokers often start at the same time.
    await retryUntilAvailable(`Kafka at ${brokers.join(', ')}`, apply, { logger, signal, timeoutMs: 60_000 });
  } finally {
    await admin.close();
  }
  return [
    ...ofRoles.map(({ role, principal, rights }) => `User:${principal} has the ${rights.length} rights of ${role}`),
    ...ofConsumers.map(
      ({ principal }, index) => `User:${principal} may read the history in the group ${topicPrefix}${consumers[index]![1]}`,
    ),
    ...(signing.acceptsUnsigned
      ? [`All roles have rights to ${ofCommonReplies[0]!.rights[0]!.name} while TIDINGS_RPC_UNSIGNED=accept`]
      : []),
  ];
}

/** The error that explains a refusal by the brokers; `undefined` for any other. */
function refusalOf(error: unknown): Error | undefined {
  let cause = error as { type?: string; name?: string; cause?: unknown } | undefined;
  for (let depth = 0; cause && depth < CAUSES_MAX; depth++, cause = cause.cause as typeof cause) {
    const reason = REFUSALS[cause.type ?? ''] ?? REFUSALS[cause.name ?? ''];
    if (reason) return new Error(`Kafka refuses the ACLs (${cause.type ?? cause.name}): ${reason}`);
  }
  return undefined;
}

function principalsOf(args: string[]): Principals {
  const { principal = [], consumer = [] } = valuesOf(args);
  const roles = Object.fromEntries(principal.map((text) => pairOf('--principal', 'ROLE=NAME', text)));
  const unknown = Object.keys(roles).filter((role) => !KAFKA_ROLES.some((one) => one === role));
  if (unknown.length > 0) throw new ConfigurationError([`--principal: there is no role ${unknown.join(', ')}: ${KAFKA_ROLES.join(', ')}`]);
  return { roles, consumers: consumer.map((text) => pairOf('--consumer', 'NAME=GROUP', text)) };
}

function valuesOf(args: string[]) {
  const option = { type: 'string', multiple: true } as const;
  try {
    return parseArgs({ args, options: { principal: option, consumer: option } }).values;
  } catch (error) {
    throw new ConfigurationError([(error as Error).message]);
  }
}

/** A principal of a certificate contains `=` itself: a role does not, and a group comes last. */
function pairOf(option: string, form: string, text: string): [string, string] {
  const at = option === '--principal' ? text.indexOf('=') : text.lastIndexOf('=');
  if (at < 1 || at === text.length - 1) throw new ConfigurationError([`${option} ${JSON.stringify(text)} is not ${form}`]);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** `tidings kafka-access [--principal ROLE=NAME]… [--consumer NAME=GROUP]…` */
runCommand(
  'kafka-access',
  'give rights in Kafka',
  () => process.env,
  ({ configuration, logger, signal }) => giveRights(configuration, principalsOf(process.argv.slice(2)), logger, signal),
);
