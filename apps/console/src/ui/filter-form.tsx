import type { FormEvent, ReactNode } from 'react';
import { texts } from '../texts';
import styles from './form.module.css';
import { type FormTexts, textsOf } from './form-texts';

interface FilterFormProps {
  /** What is applied now: another one fills the fields anew. */
  filter: object;
  onApply: (text: FormTexts) => void;
  /** Controls with names. */
  children: ReactNode;
}

/** The less usual filters of a list. They count when they are applied. */
export function FilterForm({ filter, onApply, children }: FilterFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onApply(textsOf(new FormData(event.currentTarget)));
  };
  return (
    <details>
      <summary>{texts.moreFilters}</summary>
      <form key={JSON.stringify(filter)} className={styles.filters} onSubmit={submit}>
        {children}
        <button type="submit" className="primary">
          {texts.apply}
        </button>
      </form>
    </details>
  );
}
