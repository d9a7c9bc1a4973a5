import { useState } from 'react';
import { preferences as words } from '../screen-texts/preferences';
import { Check, Checks } from '../ui/checks';
import { EditForm } from '../ui/edit-form';
import { JsonField } from '../ui/json-field';
import { Select } from '../ui/select';
import { TextField } from '../ui/text-field';
import { Channels } from './channels';
import type { TopicFields } from './queries';

const DESCRIPTION_ROWS = 2;
const DATA_ROWS = 5;
const STATUSES = Object.entries(words.statuses) as [TopicFields['default_status'], string][];
const ALLOWED = Object.entries(words.allowed) as [keyof typeof words.allowed, string][];
export const NEW_TOPIC: TopicFields = { name: '', default_status: 'OPTED_IN' };

interface TopicFormProps {
  initial: TopicFields;
  save: string;
  saved?: string;
  action: { isPending: boolean; isSuccess: boolean; error: Error | null; reset: () => void };
  missing?: string;
  onSubmit: (fields: TopicFields) => void;
}

/** The fields of a topic. */
export function TopicForm({ initial, onSubmit, ...form }: TopicFormProps) {
  const [fields, setFields] = useState(initial);
  const [isBroken, setIsBroken] = useState(false);
  const isOff = form.missing !== undefined;
  const change = (changed: Partial<TopicFields>) => {
    setFields({ ...fields, ...changed });
    form.action.reset();
  };
  return (
    <EditForm {...form} onSubmit={() => isBroken || onSubmit(fields)}>
      <TextField label={words.fields.name} value={fields.name} isRequired isReadOnly={isOff} onChange={(name) => change({ name })} />
      <Select
        label={words.fields.status}
        value={fields.default_status}
        options={STATUSES}
        onChange={(chosen) => change({ default_status: chosen as TopicFields['default_status'] })}
      />
      <TextField
        label={words.fields.description}
        value={fields.description ?? ''}
        rows={DESCRIPTION_ROWS}
        isReadOnly={isOff}
        onChange={(description) => change({ description: description || null })}
      />
      <Channels chosen={fields.routing_options ?? []} isOff={isOff} onChange={(routing_options) => change({ routing_options })} />
      <Checks
        legend={words.fields.allowed}
        options={ALLOWED}
        chosen={fields.allowed_preferences ?? []}
        isOff={isOff}
        onChange={(allowed_preferences) => change({ allowed_preferences })}
      />
      <Check
        label={words.fields.header}
        isChecked={fields.include_unsubscribe_header ?? false}
        isOff={isOff}
        onChange={(include_unsubscribe_header) => change({ include_unsubscribe_header })}
      />
      <details>
        <summary>{words.fields.data}</summary>
        <JsonField
          label={words.fields.data}
          initial={fields.topic_data ?? {}}
          rows={DATA_ROWS}
          isReadOnly={isOff}
          onChange={(data) => {
            setIsBroken(data === undefined);
            if (data) change({ topic_data: data });
          }}
        />
      </details>
    </EditForm>
  );
}
