import type { ReactNode } from 'react';
import { texts } from '../texts';
import styles from './action.module.css';

interface ActionProps {
  name: string;
  /** The accessible name, where several buttons have the same. */
  label?: string;
  /** The scope that the session lacks for it. */
  missing?: string;
  hint?: string;
  isOff?: boolean;
  onPress: () => void;
}

/** A button that does something. What the key of the session may not do is disabled, and the scope named. */
export function Action({ name, label, missing, hint, isOff = false, onPress }: ActionProps) {
  const title = missing === undefined ? hint : texts.problems.missingScope(missing);
  return (
    <button type="button" aria-label={label} disabled={isOff || missing !== undefined} title={title} onClick={onPress}>
      {name}
    </button>
  );
}

/** Buttons and links of a page side by side, and what became of them. */
export function ActionBar({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}
