import type { FormEvent, ReactNode } from 'react';
import { texts } from '../texts';
import { Dialog } from './dialog';
import dialogStyles from './dialog.module.css';
import styles from './form.module.css';
import { type FormTexts, textsOf } from './form-texts';
import { Problem } from './problem';

interface FormDialogProps {
  title: string;
  /** Name of the button that submits. */
  submit: string;
  /** What is done with the fields: a mutation. */
  action: { isPending: boolean; error: unknown };
  /** The result, once it is done; it replaces the fields. */
  result?: ReactNode;
  onSubmit: (text: FormTexts, form: FormData) => void;
  onClose: () => void;
  children: ReactNode;
}

/** Fields in a dialog; an error of what is done with them stays in it. */
export function FormDialog({ title, submit, action, result, onSubmit, onClose, children }: FormDialogProps) {
  const onForm = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    onSubmit(textsOf(form), form);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className={styles.form} onSubmit={onForm}>
        {result ?? children}
        {action.error !== null && <Problem error={action.error} title={texts.problems.failed} />}
        <p className={dialogStyles.actions}>
          <button type="button" onClick={onClose}>
            {texts.close}
          </button>
          {result === undefined && (
            <button type="submit" className="primary" disabled={action.isPending}>
              {submit}
            </button>
          )}
        </p>
      </form>
    </Dialog>
  );
}
