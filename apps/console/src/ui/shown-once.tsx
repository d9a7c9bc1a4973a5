import type { ReactNode } from 'react';
import { CopyButton } from './copy-button';
import styles from './form.module.css';
import { TextBlock } from './text-block';

/** A secret that no other answer shows. */
export function ShownOnce({ name, hint, secret, children }: { name: string; hint: string; secret: string; children?: ReactNode }) {
  return (
    <div className={styles.form}>
      <p role="status">
        <strong>{hint}</strong>
      </p>
      <TextBlock text={secret} name={name} />
      <div>
        <CopyButton text={secret} />
      </div>
      {children}
    </div>
  );
}
