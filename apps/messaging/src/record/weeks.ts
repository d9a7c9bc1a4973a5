const WEEK_SECONDS = 7 * 24 * 3600;

/** Message ids are 16 bytes that begin with their second. No id is below the first; no message has the last. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The lowest id (uuid) of the second of this instant. */
export function firstIdAt(instantMs: number): string {
  return idOfSecond(Math.floor(instantMs / 1000));
}

/** The second in which the message with this id (uuid) was created, ms since the epoch. */
export function instantOf(uuid: string): number {
  return parseInt(uuid.slice(0, 'ssssssss'.length), 16) * 1000;
}

/** The first and the last id (uuid) in the second of `uuid`: the range of a request and all its messages. */
export function idsOfSecond(uuid: string): [string, string] {
  const second = uuid.slice(0, 'ssssssss'.length);
  return [`${second}${FIRST_ID.slice(second.length)}`, `${second}${LAST_ID.slice(second.length)}`];
}

/** The number of the week of an instant; a partition has the messages of one week. */
export function weekOf(instantMs: number): number {
  return Math.floor(instantMs / 1000 / WEEK_SECONDS);
}

/** The lowest id (uuid) of a week. Built from a number, so it is safe in a statement's text. */
export function firstIdOfWeek(week: number): string {
  return idOfSecond(week * WEEK_SECONDS);
}

function idOfSecond(second: number) {
  return `${second.toString(16).padStart(8, '0')}-0000-0000-0000-000000000000`;
}
