import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import { useMissingScope } from '../api/session';
import { texts } from '../texts';
import { Field } from './field';
import styles from './form.module.css';
import { Problem } from './problem';

interface LineFormProps {
  label: string;
  /** Name of the button. */
  submit: string;
  /** The scope that it needs. */
  scope: string;
  onSubmit: (text: string) => Promise<unknown>;
}

/** One line of text with which something is added. The line is empty again once it is done. */
export function LineForm({ label, submit, scope, onSubmit }: LineFormProps) {
  const field = useRef<HTMLInputElement>(null);
  const missing = useMissingScope(scope);
  const add = useMutation({
    mutationFn: onSubmit,
    onSuccess: () => {
      if (field.current) field.current.value = '';
    },
  });
  const submitLine = (event: FormEvent) => {
    event.preventDefault();
    const text = field.current?.value.trim();
    if (text) add.mutate(text);
  };
  return (
    <>
      <form className={`${styles.row} ${styles.line}`} onSubmit={submitLine}>
        <Field label={label}>{() => <input ref={field} spellCheck={false} disabled={missing !== undefined} />}</Field>
        <button type="submit" disabled={add.isPending || missing !== undefined} title={missing && texts.problems.missingScope(missing)}>
          {submit}
        </button>
      </form>
      {add.error && <Problem error={add.error} title={texts.problems.failed} />}
    </>
  );
}
