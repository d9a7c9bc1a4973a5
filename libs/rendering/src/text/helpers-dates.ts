import { type Helper, type Helpers, shown } from './helper';
import { formatInstant } from './strftime';
import { readInstant } from './instants';

/** Budget steps: formatting costs more than other helpers, creating a formatter much more. */
const FORMAT_STEPS = 50;
const FORMATTER_STEPS = 2_000;
const PATTERN_CHARS_MAX = 200;

/** `datetime-format value "%B %d, %Y" "Europe/Berlin"`. Without a zone a text is formatted in its own offset. */
const format: Helper = ([value, pattern = '%Y-%m-%dT%H:%M:%S%z', zone], { run }, hash) => {
  const instant = readInstant(value);
  if (!instant) throw new Error(`needs a time in ms since 1970 or as ISO 8601 (got ${shown(value)})`);
  if (typeof pattern !== 'string' || pattern.length > PATTERN_CHARS_MAX) {
    throw new Error(`needs a pattern such as "%B %d" of at most ${PATTERN_CHARS_MAX} characters (got ${shown(pattern)})`);
  }
  run.budget.spend(FORMAT_STEPS + pattern.length);
  const zoneName = typeof zone === 'string' && zone !== '' ? zone : instant.zone;
  return formatInstant(instant.ms, pattern, zoneName, typeof hash.locale === 'string' ? hash.locale : 'en-US', () =>
    run.budget.spend(FORMATTER_STEPS),
  );
};

function isoToTime([value]: readonly unknown[]) {
  const instant = typeof value === 'string' ? readInstant(value) : undefined;
  if (!instant) throw new Error(`needs a time as ISO 8601 (got ${shown(value)})`);
  return instant.ms;
}

function timestampToTime([value]: readonly unknown[]) {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value;
  const instant = typeof seconds === 'number' && Number.isInteger(seconds) ? readInstant(seconds * 1000) : undefined;
  if (!instant) throw new Error(`needs whole seconds since 1970 (got ${shown(value)})`);
  return instant.ms;
}

export const dateHelpers: Helpers = {
  'datetime-format': format,
  swu_datetimeformat: format,
  swu_iso8601_to_time: isoToTime,
  swu_timestamp_to_time: timestampToTime,
};
