import { KAFKA_ROLES, kafkaAccess } from '@tidings/runtime/kafka-access';
import { kafkaUsers } from '@tidings/runtime/kafka-users';
import { type KubernetesObject, readObjects } from './kubernetes';
import { readText } from './repository';

interface User {
  authorization: { acls: { resource: { type: string; name: string; patternType: string }; operations: string[] }[] };
}

describe('the users of Strimzi', () => {
  it.each(['k8s/components/strimzi/kafka-users.yaml', 'charts/tidings/files/kafka-users.yaml'])('in %s are those of the code', (file) => {
    // To renew it: node tools/write-kafka-access.mjs
    expect(readText(file)).toBe(kafkaUsers());
  });

  it('are one for each role, with its rights', () => {
    const users = readObjects(kafkaUsers());
    expect(users.map(({ metadata }) => metadata.name)).toEqual(KAFKA_ROLES.map((role) => `tidings-${role}`));
    const rightsOf = ({ spec }: KubernetesObject) =>
      (spec as unknown as User).authorization.acls.map(({ resource, operations }) => [
        resource.type,
        resource.name,
        resource.patternType === 'prefix' ? 'prefixed' : resource.patternType,
        operations,
      ]);
    expect(users.map(rightsOf)).toEqual(
      KAFKA_ROLES.map((role) => kafkaAccess(role).map(({ resource, name, pattern, operations }) => [resource, name, pattern, operations])),
    );
  });
});
