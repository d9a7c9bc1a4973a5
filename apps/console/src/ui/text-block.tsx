import styles from './text-block.module.css';

/** A text with its line breaks; `name` is its accessible name. */
export function TextBlock({ text, name }: { text: string; name: string }) {
  return (
    <pre className={styles.text} tabIndex={0} role="group" aria-label={name}>
      {text}
    </pre>
  );
}
