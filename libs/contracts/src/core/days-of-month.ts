/** Days of a month, from 1: a date that is not in the calendar would be taken for one of the next month. */
export function daysOfMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
