const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The average calendar year; months are a twelfth of it, so that both have a fixed length. */
const YEAR_MS = 365.25 * DAY_MS;

const NUMBER = String.raw`(\d{1,12}(?:[.,]\d{1,9})?)`;
const ISO_8601 = new RegExp(
  `^P(?=[0-9T])(?:${NUMBER}Y)?(?:${NUMBER}M)?(?:${NUMBER}W)?(?:${NUMBER}D)?(?:T(?=[0-9])(?:${NUMBER}H)?(?:${NUMBER}M)?(?:${NUMBER}S)?)?$`,
);
const UNITS_MS = [YEAR_MS, YEAR_MS / 12, 7 * DAY_MS, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS];

/** The milliseconds of an ISO 8601 duration such as `P1DT4H`, `PT0.5S` or `P2W`; a year has 365.25 days. Undefined for anything else. */
export function readIsoDuration(text: string): number | undefined {
  const parts = ISO_8601.exec(text)?.slice(1);
  return parts?.reduce((ms, part, index) => ms + Number((part ?? '0').replace(',', '.')) * UNITS_MS[index]!, 0);
}
