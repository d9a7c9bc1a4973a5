import { useState } from 'react';
import { useMissingScope } from '../api/session';
import { routingStrategies as words } from '../screen-texts/routing-strategies';
import { EditForm } from '../ui/edit-form';
import { JsonField } from '../ui/json-field';
import type { StrategyFields } from './queries';

interface StrategyFormProps {
  initial: StrategyFields;
  save: string;
  saved?: string;
  action: { isPending: boolean; isSuccess: boolean; error: Error | null; reset: () => void };
  onSubmit: (fields: StrategyFields) => void;
}

/** A strategy as JSON; what the interface refuses is shown at its line. */
export function StrategyForm({ initial, save, saved, action, onSubmit }: StrategyFormProps) {
  const [fields, setFields] = useState<StrategyFields | undefined>(initial);
  const missing = useMissingScope('write:routing-strategies');
  return (
    <EditForm save={save} saved={saved} action={action} missing={missing} isErrorShown onSubmit={() => fields && onSubmit(fields)}>
      <JsonField
        label={words.field}
        initial={initial}
        error={action.error}
        isReadOnly={missing !== undefined}
        onChange={(value) => {
          setFields(value as StrategyFields | undefined);
          action.reset();
        }}
      />
    </EditForm>
  );
}
