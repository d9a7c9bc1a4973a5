import {
  type AclEntry,
  type AclFilter,
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  type Admin,
  ResourcePatternTypes,
} from 'kafkajs';

const OPERATION_TYPES = {
  Read: AclOperationTypes.READ,
  Write: AclOperationTypes.WRITE,
  Create: AclOperationTypes.CREATE,
  Describe: AclOperationTypes.DESCRIBE,
  DescribeConfigs: AclOperationTypes.DESCRIBE_CONFIGS,
} as const;

/** As in Kafka's tools. */
export type KafkaOperation = keyof typeof OPERATION_TYPES;

/** In the order of Kafka's documentation. */
export const KAFKA_OPERATIONS = Object.keys(OPERATION_TYPES) as KafkaOperation[];

/** What a principal may do with a topic or a group, or with all whose names begin so. */
export interface KafkaRight {
  resource: 'topic' | 'group';
  name: string;
  pattern: 'literal' | 'prefixed';
  operations: readonly KafkaOperation[];
}

/** The rights of a principal. */
export interface Grant {
  /** Without `User:`. */
  principal: string;
  rights: readonly KafkaRight[];
}

/** Creates the ACLs of these rights; those that exist stay. @throws KafkaJSError of a broker without authorizer, or of a user who may not */
export async function allow(admin: Admin, grants: readonly Grant[]): Promise<void> {
  await admin.createAcls({ acl: grants.flatMap(aclsOf) });
}

/** Removes all ACLs of these principals on exactly these names and patterns. @throws as `allow` */
export async function disallow(admin: Admin, grants: readonly Grant[]): Promise<void> {
  await admin.deleteAcls({ filters: grants.flatMap(filtersOf) });
}

function aclsOf({ principal, rights }: Grant): AclEntry[] {
  return rights.flatMap((right) =>
    right.operations.map((operation) => ({
      ...resourceOf(right),
      principal: `User:${principal}`,
      host: '*',
      operation: OPERATION_TYPES[operation],
      permissionType: AclPermissionTypes.ALLOW,
    })),
  );
}

function filtersOf({ principal, rights }: Grant): AclFilter[] {
  return rights.map((right) => ({
    ...resourceOf(right),
    principal: `User:${principal}`,
    operation: AclOperationTypes.ANY,
    permissionType: AclPermissionTypes.ANY,
  }));
}

function resourceOf({ resource, name, pattern }: KafkaRight) {
  return {
    resourceType: resource === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
    resourceName: name,
    resourcePatternType: pattern === 'literal' ? ResourcePatternTypes.LITERAL : ResourcePatternTypes.PREFIXED,
  };
}
