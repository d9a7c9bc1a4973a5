import type { ReactNode } from 'react';
import { FormDialog } from './form-dialog';

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
    <FormDialog
      title={title}
      submit={confirm}
      action={action}
      result={isDone ? children : undefined}
      onSubmit={onConfirm}
      onClose={onClose}
    >
      {children}
    </FormDialog>
  );
}
