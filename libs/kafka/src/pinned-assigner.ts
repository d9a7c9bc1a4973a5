import { AssignerProtocol, type PartitionAssigner } from 'kafkajs';

const { MemberAssignment, MemberMetadata } = AssignerProtocol;
const VERSION = 1;

/** Assigns this partition alone to the group's one member, because kafkajs cannot consume without a group. */
export function pinnedAssigner(topic: string, partition: number): PartitionAssigner {
  const name = `pinned-${partition}`;
  return () => ({
    name,
    version: VERSION,
    assign: ({ members }) =>
      Promise.resolve(
        members.map(({ memberId }) => ({
          memberId,
          memberAssignment: MemberAssignment.encode({ version: VERSION, assignment: { [topic]: [partition] }, userData: Buffer.alloc(0) }),
        })),
      ),
    protocol: ({ topics }) => ({ name, metadata: MemberMetadata.encode({ version: VERSION, topics, userData: Buffer.alloc(0) }) }),
  });
}
