import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useMissingScope } from '../api/session';
import { texts } from '../texts';
import { EditForm } from './edit-form';
import { JsonField } from './json-field';

interface JsonFormProps {
  /** Of the field with the object. */
  label: string;
  value: object;
  /** Name of the button. */
  submit: string;
  /** What it says once it is stored. */
  saved?: string;
  /** The scope that it needs. */
  scope: string;
  onSave: (value: Record<string, unknown>) => Promise<unknown>;
  /** Further fields, above. */
  children?: ReactNode;
}

/** An object that is stored, to be changed as JSON. */
export function JsonForm({ label, value, submit, saved = texts.saved, scope, onSave, children }: JsonFormProps) {
  const [changed, setChanged] = useState<Record<string, unknown> | undefined>({ ...value });
  const missing = useMissingScope(scope);
  const save = useMutation({ mutationFn: onSave });
  const store = () => changed && save.mutate(changed);
  return (
    <EditForm save={submit} saved={saved} action={save} missing={missing} isErrorShown onSubmit={store}>
      {children}
      <JsonField
        label={label}
        initial={value}
        error={save.error}
        isReadOnly={missing !== undefined}
        onChange={(written) => {
          setChanged(written);
          save.reset();
        }}
      />
    </EditForm>
  );
}
