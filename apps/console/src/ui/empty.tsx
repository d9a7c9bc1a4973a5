import type { ReactNode } from 'react';
import { CopyButton } from './copy-button';
import styles from './notice.module.css';

/** An empty table: what would fill it, and the request that does. */
export function Empty({ title, hint, command, children }: { title: string; hint?: ReactNode; command?: string; children?: ReactNode }) {
  return (
    <div className={styles.notice}>
      <p>
        <strong>{title}</strong>
      </p>
      {hint && <p>{hint}</p>}
      {command && (
        <>
          <pre tabIndex={0}>{command}</pre>
          <CopyButton text={command} />
        </>
      )}
      {children}
    </div>
  );
}
