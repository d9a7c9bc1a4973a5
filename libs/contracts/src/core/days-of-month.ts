/** The number of days of `month` (1 to 12). Callers refuse later days, which `Date` would move into the next month. */
export function daysOfMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
