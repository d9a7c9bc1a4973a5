/** The order of ids in the database (`collate "C"`): of their bytes, which is not that of JavaScript's texts. Below zero where `one` comes first. */
export function compareIds(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
