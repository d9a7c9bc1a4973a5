import { type ReactNode, useId } from 'react';
import styles from './form.module.css';

interface FieldProps {
  label: string;
  hint?: string;
  /** What is wrong with the value. */
  problem?: string;
  /** The control; hint and problem describe it by the id. */
  children: (describedBy: string | undefined) => ReactNode;
}

/** A control with its name above, and below it what it expects or what is wrong. */
export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label className={styles.field}>
        {label}
        {children((hint ?? problem) && id)}
      </label>
      {hint && <p id={problem ? undefined : id}>{hint}</p>}
      {problem && (
        <p id={id} role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
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
    <Field label={label}>
      {() => (
        <select name={name} defaultValue={value}>
          {options.map(([id, text]) => (
            <option key={id} value={id}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
