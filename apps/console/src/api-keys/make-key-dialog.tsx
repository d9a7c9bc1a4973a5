import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { KEY_SCOPES } from '../api/values';
import { apiKeys as words } from '../screen-texts/api-keys';
import { Choice, Field } from '../ui/field';
import formStyles from '../ui/form.module.css';
import { FormDialog } from '../ui/form-dialog';
import { ShownOnce } from '../ui/shown-once';
import styles from './api-keys.module.css';
import { useKeyAccess } from './key-access';
import type { Keys, NewKey } from './queries';

const { fields, modes } = words;

interface MakeKeyDialogProps {
  keys: Keys;
  /** A link to the page of the made key. */
  link: (keyId: string) => ReactNode;
  onClose: () => void;
}

/** Makes an API key, and shows it once. */
export function MakeKeyDialog({ keys, link, onClose }: MakeKeyDialogProps) {
  const { isTest, isOperator } = useKeyAccess();
  const make = useMutation({ mutationFn: (key: NewKey) => keys.make(key) });
  const submit = (text: (name: string) => string | undefined, form: FormData) => {
    const scopes = form.has('all') ? undefined : (form.getAll('scope') as string[]);
    const recipients = text('recipients')
      ?.split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
    make.mutate({
      mode: text('mode') === 'test' ? 'test' : 'production',
      name: text('name'),
      scopes,
      recipients,
      expires_at: text('expires'),
    });
  };
  const offered = isTest ? (['test'] as const) : (['production', 'test'] as const);
  return (
    <FormDialog
      title={words.makeTitle}
      submit={words.confirmMake}
      action={make}
      result={
        make.data && (
          <ShownOnce name={words.key} hint={words.shownOnce} secret={make.data.key}>
            <p>{link(make.data.key_id)}</p>
          </ShownOnce>
        )
      }
      onSubmit={submit}
      onClose={onClose}
    >
      {!isOperator && <p>{words.makeHint}</p>}
      <Field label={fields.name}>{() => <input name="name" maxLength={100} autoComplete="off" />}</Field>
      <Choice label={fields.mode} name="mode" options={offered.map((mode) => [mode, modes[mode]])} />
      <Scopes />
      <Field label={fields.expires}>{() => <input type="date" name="expires" />}</Field>
      <Field label={fields.recipients} hint={fields.recipientsHint}>
        {(hint) => <textarea name="recipients" rows={2} spellCheck={false} aria-describedby={hint} />}
      </Field>
    </FormDialog>
  );
}

/** Everything that the session may do, or single scopes of it. */
function Scopes() {
  const [isAll, setIsAll] = useState(true);
  const { isGranted, isOperator } = useKeyAccess();
  return (
    <>
      <label className={formStyles.check}>
        <input type="checkbox" name="all" checked={isAll} onChange={({ target }) => setIsAll(target.checked)} />{' '}
        {isOperator ? fields.allOfOperators : fields.all}
      </label>
      {!isAll && (
        <fieldset className={styles.scopes}>
          <legend>{fields.scopes}</legend>
          {KEY_SCOPES.filter(isGranted).map((scope) => (
            <label key={scope} className={formStyles.check}>
              <input type="checkbox" name="scope" value={scope} /> {scope}
            </label>
          ))}
        </fieldset>
      )}
    </>
  );
}
