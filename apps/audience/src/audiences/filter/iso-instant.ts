const ISO_8601 = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)(?:Z|([+-]\d{2})(?::?(\d{2}))?)?)?$/i;
/** Longer texts are no dates and are not parsed. */
const INSTANT_LENGTH_MAX = 40;

/**
 * Milliseconds since 1970 of an ISO 8601 date (its start) or date with time, in UTC without offset. Undefined for other texts
 * and for days that are not in the calendar. Fractions of a millisecond are cut off.
 */
export function parseInstant(text: string) {
  if (text.length > INSTANT_LENGTH_MAX) return undefined;
  const [, year, month, day, time = '00:00', hours, minutes = '00'] = ISO_8601.exec(text) ?? [];
  // `Date` moves a day that is not in the calendar to the next month.
  if (day === undefined || new Date(`${year}-${month}-${day}`).getUTCDate() !== Number(day)) return undefined;
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  const instant = Date.parse(`${year}-${month}-${day}T${time.replace(',', '.')}${zone}`);
  return Number.isNaN(instant) ? undefined : instant;
}
