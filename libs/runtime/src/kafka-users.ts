import type { KafkaRight } from '@tidings/kafka/acls';
import { KAFKA_ROLES, kafkaAccess, kafkaPrincipalOf } from './kafka-access';

const HEAD =
  '# A user of each role, with its rights (docs/kafka-access.md). Written by `node tools/write-kafka-access.mjs`: do not edit it.\n';

/** The roles as resources `KafkaUser` of the Strimzi operator, in YAML: what `tidings kafka-access` does elsewhere. */
export function kafkaUsers(): string {
  return HEAD + KAFKA_ROLES.map((role) => userOf(kafkaPrincipalOf(role), kafkaAccess(role))).join('---\n');
}

function userOf(principal: string, rights: readonly KafkaRight[]): string {
  return `apiVersion: kafka.strimzi.io/v1
kind: KafkaUser
metadata:
  name: ${principal}
  labels: { strimzi.io/cluster: tidings }
spec:
  authentication: { type: scram-sha-512 }
  authorization:
    type: simple
    acls:
${rights.map(aclOf).join('')}`;
}

function aclOf({ resource, name, pattern, operations }: KafkaRight): string {
  const patternType = pattern === 'prefixed' ? 'prefix' : 'literal';
  return `      - resource: { type: ${resource}, name: ${name}, patternType: ${patternType} }
        operations: [${operations.join(', ')}]
`;
}
