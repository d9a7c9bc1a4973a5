/** How far a member of a group has come in a partition, while it has it. Offsets are those of the next record. */
export class PartitionProgress {
  /** Everything below is fetched. */
  fetched: bigint;
  /** The partition may be another member's, or this place was overtaken: what is left of it is nobody's business any more. */
  revoked = false;

  /**
   * @param handled everything below is handled.
   * @param committed what the cluster remembers; `undefined` when it remembers nothing.
   */
  constructor(
    readonly partition: number,
    public handled: bigint,
    public committed?: bigint,
  ) {
    this.fetched = handled;
  }
}
