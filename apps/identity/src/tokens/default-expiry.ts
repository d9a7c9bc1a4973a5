const EXPIRY_MONTHS = 2;

/**
 * When a token registered at `from` expires if nobody says otherwise: two calendar months later in UTC, at the last day of
 * the month where that has no such day (31 December: 28 or 29 February).
 */
export function defaultExpiry(from: Date): Date {
  const month = from.getUTCMonth() + EXPIRY_MONTHS;
  const lastDay = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const expiry = new Date(from);
  expiry.setUTCMonth(month, Math.min(from.getUTCDate(), lastDay));
  return expiry;
}
