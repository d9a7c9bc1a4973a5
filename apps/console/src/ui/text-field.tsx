import { type ChangeEvent, useId } from 'react';
import styles from './live-field.module.css';

interface TextFieldProps {
  label: string;
  value: string;
  /** What is wrong with the text. */
  problem?: string;
  /** Rows of a longer text; absent: one line. */
  rows?: number;
  suggestions?: readonly string[];
  isReadOnly?: boolean;
  isRequired?: boolean;
  onChange: (text: string) => void;
}

/** A text of a form, with what is wrong with it. */
export function TextField({ label, value, problem, rows, suggestions, isReadOnly, isRequired, onChange }: TextFieldProps) {
  const id = useId();
  const common = {
    value,
    spellCheck: false,
    readOnly: isReadOnly,
    required: isRequired,
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem === undefined ? undefined : `${id}-problem`,
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => onChange(target.value),
  };
  return (
    <div className={styles.field}>
      <label>
        {label}
        {rows === undefined ? <input {...common} list={suggestions && `${id}-list`} /> : <textarea {...common} rows={rows} />}
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
