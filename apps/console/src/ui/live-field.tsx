import { useEffect, useId, useRef, useState } from 'react';
import styles from './live-field.module.css';

/** Without a key for so long, the text counts. */
const SETTLED_MS = 400;

interface LiveFieldProps {
  label: string;
  value: string;
  /** What is wrong with the text. */
  problem?: string;
  /** Rows of a longer text; absent: one line. */
  rows?: number;
  suggestions?: readonly string[];
  onSettle: (text: string) => void;
}

/** A text that counts when its writer pauses. */
export function LiveField({ label, value, problem, rows, suggestions, onSettle }: LiveFieldProps) {
  const [text, setText] = useState(value);
  const timer = useRef<number>(undefined);
  const id = useId();
  useEffect(() => () => clearTimeout(timer.current), []);
  // The address may change otherwise, as by the browser's way back; not while its writer writes.
  useEffect(() => {
    if (timer.current === undefined) setText(value);
  }, [value]);
  const change = (changed: string) => {
    setText(changed);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      timer.current = undefined;
      onSettle(changed);
    }, SETTLED_MS);
  };
  const common = {
    value: text,
    spellCheck: false,
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem === undefined ? undefined : `${id}-problem`,
  };
  return (
    <div className={styles.field}>
      <label>
        {label}
        {rows === undefined ? (
          <input {...common} list={suggestions && `${id}-list`} onChange={({ target }) => change(target.value)} />
        ) : (
          <textarea {...common} rows={rows} onChange={({ target }) => change(target.value)} />
        )}
      </label>
      {suggestions && (
        <datalist id={`${id}-list`}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      {problem && (
        <p id={`${id}-problem`} role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
    </div>
  );
}
