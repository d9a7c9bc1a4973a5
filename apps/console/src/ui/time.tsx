import { fullTime, shortTime } from '../format';

/** A time in ms since the epoch, short; its title has date and zone. */
export function Time({ at }: { at: number }) {
  return (
    <time className="number" dateTime={new Date(at).toISOString()} title={fullTime(at)}>
      {shortTime(at)}
    </time>
  );
}
