import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, YEAR_MS } from './duration';

const NUMBER = String.raw`(\d{1,12}(?:[.,]\d{1,9})?)`;
const ISO_8601 = new RegExp(
  `^P(?=[0-9T])(?:${NUMBER}Y)?(?:${NUMBER}M)?(?:${NUMBER}W)?(?:${NUMBER}D)?(?:T(?=[0-9])(?:${NUMBER}H)?(?:${NUMBER}M)?(?:${NUMBER}S)?)?$`,
);
/** A month is a twelfth of a year, so that both have a fixed length. */
const UNITS_MS = [YEAR_MS, YEAR_MS / 12, 7 * DAY_MS, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS];

/** The milliseconds of an ISO 8601 duration such as `P1DT4H`, `PT0.5S` or `P2W`; a year has 365.25 days. Undefined for anything else. */
export function readIsoDuration(text: string): number | undefined {
  const parts = ISO_8601.exec(text)?.slice(1);
  return parts?.reduce((ms, part, index) => ms + Number((part ?? '0').replace(',', '.')) * UNITS_MS[index]!, 0);
}
