import styles from './live-field.module.css';

/** A line of text with its label. */
export function Field({ label, value, onChange }: { label: string; value: string; onChange: (text: string) => void }) {
  return (
    <div className={styles.field}>
      <label>
        {label}
        <input value={value} spellCheck={false} onChange={({ target }) => onChange(target.value)} />
      </label>
    </div>
  );
}
