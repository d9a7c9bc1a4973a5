import { type ChangeEvent, useId } from 'react';
import { Field } from './field';

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
  const listId = useId();
  const common = {
    value,
    spellCheck: false,
    autoCapitalize: 'none',
    readOnly: isReadOnly,
    required: isRequired,
    'aria-invalid': problem !== undefined,
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => onChange(target.value),
  };
  return (
    <>
      <Field label={label} problem={problem}>
        {(describedBy) =>
          rows === undefined ? (
            <input {...common} aria-describedby={describedBy} list={suggestions && listId} />
          ) : (
            <textarea {...common} aria-describedby={describedBy} rows={rows} />
          )
        }
      </Field>
      {suggestions && (
        <datalist id={listId}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  );
}
