import { CopyButton } from './copy-button';
import styles from './json.module.css';

/** A value as indented JSON; `name` is its accessible name. */
export function Json({ value, name }: { value: unknown; name: string }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <div className={styles.json}>
      <pre tabIndex={0} role="group" aria-label={name}>
        {text}
      </pre>
      <CopyButton text={text} />
    </div>
  );
}
