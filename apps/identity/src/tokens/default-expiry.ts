const EXPIRY_MONTHS = 2;

/**
 * The expiry of a token registered at `from` without an expiry date: two calendar months later in UTC, or the last day of
 * that month where it is shorter (31 December: 28 or 29 February).
 */
export function defaultExpiry(from: Date): Date {
  const month = from.getUTCMonth() + EXPIRY_MONTHS;
  const lastDay = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const expiry = new Date(from);
  expiry.setUTCMonth(month, Math.min(from.getUTCDate(), lastDay));
  return expiry;
}
