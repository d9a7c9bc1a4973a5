const EXPIRY_MONTHS = 2;

/**
 * The expiry of a token registered at `from` without an expiry date: two calendar months later in UTC, or the last day of
 * that month where it is shorter (31 December: 28 or 29 February).
 */
export function defaultExpiry(from: Date) {
  const expiry = new Date(from);
  expiry.setUTCMonth(from.getUTCMonth() + EXPIRY_MONTHS);
  // A day that the month does not have becomes one of the next month: back to the last day.
  if (expiry.getUTCDate() !== from.getUTCDate()) expiry.setUTCDate(0);
  return expiry;
}
