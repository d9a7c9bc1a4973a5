import { useState } from 'react';
import type { List } from '../api/types';
import { lists as words } from '../screen-texts/lists';
import { JsonForm } from '../ui/json-form';
import { Section } from '../ui/section';
import { TextField } from '../ui/text-field';
import { saveList } from './queries';

/** The name of a list, and the preferences of its subscribers who have none. */
export function ListSettings({ list: { id, name: stored, preferences } }: { list: List }) {
  const [name, setName] = useState(stored);
  return (
    <Section title={words.tabs.settings}>
      <JsonForm
        label={words.preferences}
        value={preferences ?? {}}
        submit={words.save}
        scope="write:lists"
        onSave={(changed) => saveList(id, { name, preferences: Object.keys(changed).length > 0 ? changed : null })}
      >
        <TextField label={words.name} value={name} isRequired onChange={setName} />
      </JsonForm>
    </Section>
  );
}
