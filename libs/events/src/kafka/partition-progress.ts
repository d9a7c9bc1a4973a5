/** Progress of a group member in a partition that is assigned to it. Each offset is that of the next record. */
export class PartitionProgress {
  /** Everything below is fetched. */
  fetched: bigint;
  /** The partition was reassigned, or another member got further: buffered records are dropped. */
  revoked = false;

  /**
   * @param handled everything below is handled.
   * @param committed the committed offset; `undefined` without one.
   */
  constructor(
    readonly partition: number,
    public handled: bigint,
    public committed?: bigint,
  ) {
    this.fetched = handled;
  }
}
