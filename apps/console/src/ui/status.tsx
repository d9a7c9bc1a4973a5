import { texts } from '../texts';
import styles from './status.module.css';

export type Tone = 'good' | 'bad' | 'pending' | 'neutral';

const TONES: Readonly<Record<string, Tone>> = {
  CLICKED: 'good',
  DELIVERED: 'good',
  OPENED: 'good',
  SENT: 'good',
  active: 'good',
  DELAYED: 'pending',
  DIGESTED: 'pending',
  ENQUEUED: 'pending',
  ROUTED: 'pending',
  paused: 'pending',
  unknown: 'pending',
  THROTTLED: 'bad',
  UNDELIVERABLE: 'bad',
  UNMAPPED: 'bad',
  UNROUTABLE: 'bad',
  failed: 'bad',
  revoked: 'bad',
};
const SIGNS: Readonly<Record<Tone, string>> = { good: '✓', bad: '✕', pending: '…', neutral: '–' };

/** A word with a sign, so that the colour is not all that differs. */
export function Badge({ tone, children, hint }: { tone: Tone; children: string; hint?: string }) {
  return (
    <span className={styles.badge} data-tone={tone} title={hint}>
      <span aria-hidden="true">{SIGNS[tone]}</span> {children}
    </span>
  );
}

/** The status of a message, a route or a push token, as written in the interface. */
export function Status({ value }: { value: string }) {
  return (
    <Badge tone={TONES[value] ?? 'neutral'} hint={texts.statusHints[value]}>
      {value}
    </Badge>
  );
}
