import { type FormEvent, useEffect, useId, useRef } from 'react';
import styles from './search-form.module.css';

/** A search of the screen: Enter searches, an empty text shows all. `/` leads to it. */
export function SearchForm({
  label,
  hint,
  value,
  onSearch,
}: {
  label: string;
  hint: string;
  value: string;
  onSearch: (text: string) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => {
    if (field.current) field.current.value = value;
  }, [value]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSearch(field.current?.value.trim() ?? '');
  };
  return (
    <form role="search" className={styles.form} onSubmit={submit}>
      <input
        ref={field}
        type="search"
        aria-label={label}
        aria-describedby={id}
        placeholder={label}
        defaultValue={value}
        enterKeyHint="search"
      />
      <p id={id} className={styles.hint}>
        {hint}
      </p>
    </form>
  );
}
