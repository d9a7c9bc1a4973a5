import type { FormEvent, ReactNode } from 'react';
import { texts } from '../texts';
import styles from './form.module.css';
import { type FormTexts, textsOf } from './form-texts';
import { Problem } from './problem';

interface EditFormProps {
  /** Name of the button that stores it. */
  save: string;
  /** What it says once it is stored. */
  saved?: string;
  /** What stores it: a mutation. */
  action: { isPending: boolean; isSuccess: boolean; error: unknown };
  /** The scope that the session lacks for it. */
  missing?: string;
  /** Whether there is nothing to store yet. */
  isOff?: boolean;
  /** Whether the error is shown at a field of the form. */
  isErrorShown?: boolean;
  /** Gets what reads the text of a field by its name. */
  onSubmit: (text: FormTexts) => void;
  children: ReactNode;
  actions?: ReactNode;
}

/** Fields that are stored together: why the session may not, what went wrong, and that it is done. */
export function EditForm({ save, saved, action, missing, isOff = false, isErrorShown, onSubmit, children, actions }: EditFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(textsOf(new FormData(event.currentTarget)));
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      {children}
      {action.error !== null && !isErrorShown && <Problem error={action.error} title={texts.problems.failed} />}
      <div className={styles.actions}>
        <button type="submit" className="primary" disabled={action.isPending || isOff || missing !== undefined}>
          {save}
        </button>
        {actions}
        {missing && <p className="quiet">{texts.problems.missingScope(missing)}</p>}
        <p role="status">{action.isSuccess && saved}</p>
      </div>
    </form>
  );
}
