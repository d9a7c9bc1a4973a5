/** Compares ids as the database does (`collate "C"`): by UTF-8 bytes, unlike JavaScript's strings. Negative where `one` sorts first. */
export function compareIds(one: string, other: string) {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
