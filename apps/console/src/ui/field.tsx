import { type ReactNode, useId } from 'react';
import styles from './form.module.css';

interface FieldProps {
  label: string;
  hint?: string;
  /** The control; the hint describes it by the id. */
  children: (hintId: string | undefined) => ReactNode;
}

/** A control with its name above and what it expects below. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label className={styles.field}>
        {label}
        {children(hint && id)}
      </label>
      {hint && <p id={id}>{hint}</p>}
    </div>
  );
}

interface ChoiceProps {
  label: string;
  name: string;
  options: readonly (readonly [value: string, text: string])[];
  value?: string;
}

/** A choice of one among several in a form: the browser's own, which opens above dialogs. */
export function Choice({ label, name, options, value }: ChoiceProps) {
  return (
    <label className={styles.field}>
      {label}
      <select name={name} defaultValue={value}>
        {options.map(([id, text]) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
