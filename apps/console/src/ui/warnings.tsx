import { texts } from '../texts';
import styles from './warnings.module.css';

/** What a rendering left out or could not read, for the author. */
export function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <div className={styles.warnings}>
      <h3>{texts.warnings}</h3>
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </div>
  );
}
