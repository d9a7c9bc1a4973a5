import { useState } from 'react';
import { preferences as words } from '../screen-texts/preferences';
import { Check } from '../ui/checks';
import { EditForm } from '../ui/edit-form';
import { TextField } from '../ui/text-field';
import { Channels } from './channels';
import type { SectionFields } from './queries';

const DESCRIPTION_ROWS = 2;
export const NEW_SECTION: SectionFields = { name: '' };

interface SectionFormProps {
  initial: SectionFields;
  save: string;
  saved?: string;
  action: { isPending: boolean; isSuccess: boolean; error: unknown; reset: () => void };
  missing?: string;
  onSubmit: (fields: SectionFields) => void;
}

/** The fields of a section. */
export function SectionForm({ initial, onSubmit, ...form }: SectionFormProps) {
  const [fields, setFields] = useState(initial);
  const isOff = form.missing !== undefined;
  const change = (changed: Partial<SectionFields>) => {
    setFields({ ...fields, ...changed });
    form.action.reset();
  };
  return (
    <EditForm {...form} onSubmit={() => onSubmit(fields)}>
      <TextField label={words.fields.name} value={fields.name} isRequired isReadOnly={isOff} onChange={(name) => change({ name })} />
      <TextField
        label={words.fields.description}
        value={fields.description ?? ''}
        rows={DESCRIPTION_ROWS}
        isReadOnly={isOff}
        onChange={(description) => change({ description: description || null })}
      />
      <Channels chosen={fields.routing_options ?? []} isOff={isOff} onChange={(routing_options) => change({ routing_options })} />
      <Check
        label={words.fields.customRouting}
        isChecked={fields.has_custom_routing ?? false}
        isOff={isOff}
        onChange={(has_custom_routing) => change({ has_custom_routing })}
      />
    </EditForm>
  );
}
