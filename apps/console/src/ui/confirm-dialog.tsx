import type { ReactNode } from 'react';
import { texts } from '../texts';
import { Dialog } from './dialog';
import styles from './dialog.module.css';
import { Problem } from './problem';

interface ConfirmDialogProps {
  title: string;
  /** Name of the button that does it. */
  confirm: string;
  /** What is done after the confirmation: a mutation. */
  action: { isPending: boolean; error: unknown };
  /** Whether it is done, and the dialog only shows the result. */
  isDone?: boolean;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** Asks before something is done; an error of it stays in the dialog. */
export function ConfirmDialog({ title, confirm, action, isDone = false, onConfirm, onClose, children }: ConfirmDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {action.error !== null && <Problem error={action.error} title={texts.problems.failed} />}
      <p className={styles.actions}>
        <button type="button" onClick={onClose}>
          {texts.close}
        </button>
        {!isDone && (
          <button type="button" className="primary" disabled={action.isPending} onClick={onConfirm}>
            {confirm}
          </button>
        )}
      </p>
    </Dialog>
  );
}
