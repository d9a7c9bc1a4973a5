import { duration, fullTime } from '../format';
import { message as words } from '../screen-texts/message';
import { texts } from '../texts';
import { Time } from '../ui/time';
import { instantOf, objectOf, routeOf, textOf, textsOf } from './fields';
import styles from './message.module.css';
import type { HistoryEvent } from './queries';

const FAILURES = new Set(['UNDELIVERABLE', 'UNROUTABLE', 'UNMAPPED', 'THROTTLED', 'FILTERED']);

/** The events in order: when, how long after the one before, on which route, and why. */
export function Timeline({ events }: { events: readonly HistoryEvent[] }) {
  return (
    <ol className={styles.timeline} aria-label={words.timeline}>
      {events.map((event, index) => (
        <li key={index} data-failed={FAILURES.has(event.type)}>
          <p className={styles.event}>
            <strong>{event.type}</strong> <Time at={event.ts} />
            {index > 0 && <span className="quiet number">{words.after(duration(event.ts - events[index - 1]!.ts))}</span>}
            <span>{routeOf(event)}</span>
          </p>
          <Reason event={event} />
        </li>
      ))}
    </ol>
  );
}

function Reason({ event }: { event: HistoryEvent }) {
  const code = textOf(event, 'reason');
  const until = instantOf(event, 'until');
  const reply = objectOf(event, 'reference').reply;
  const warnings = textsOf(event, 'warnings');
  return (
    <>
      {code && (
        <p>
          {texts.reasons[code] ?? code} {texts.reasons[code] && <code>{code}</code>}
        </p>
      )}
      {textOf(event, 'error_message') && <p>{textOf(event, 'error_message')}</p>}
      {until !== undefined && <p>{`${words.waitsUntil} ${fullTime(until)}`}</p>}
      {typeof reply === 'string' && (
        <p className="quiet">
          {words.reply}: <code>{reply}</code>
        </p>
      )}
      {warnings.length > 0 && (
        <div className={styles.warnings}>
          <p className="quiet">{texts.warnings}</p>
          {warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
        </div>
      )}
    </>
  );
}
