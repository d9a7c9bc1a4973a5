import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useMissingScope } from '../api/session';
import type { Audience } from '../api/types';
import { audiences as words } from '../screen-texts/audiences';
import { EditForm } from '../ui/edit-form';
import { JsonField } from '../ui/json-field';
import { Section } from '../ui/section';
import { TextField } from '../ui/text-field';
import { Views } from '../ui/views';
import { GroupFields } from './filter-builder';
import { filterOf, isComplete, treeOf } from './filter-tree';
import { MatchingUsers } from './matching-users';
import { saveAudience } from './queries';

const route = getRouteApi('/audiences/$audienceId');
type Form = keyof typeof words.form;
const FORMS = Object.entries(words.form) as [Form, string][];
const DESCRIPTION_ROWS = 2;

/** Name, description and filter of an audience. The filter is built of conditions or written as JSON, and counted meanwhile. */
export function FilterEditor({ audience }: { audience: Audience }) {
  const { form } = route.useSearch();
  const isJson = form === 'json';
  const [named, setNamed] = useState({ name: audience.name, description: audience.description });
  const [tree, setTree] = useState(() => treeOf(audience.filter, audience.operator ?? undefined));
  const [isBroken, setIsBroken] = useState(false);
  const missing = useMissingScope('write:audiences');
  const save = useMutation({ mutationFn: () => saveAudience(audience.id, { ...named, filter: filterOf(tree) }) });
  const change = (changed: typeof tree) => {
    setTree(changed);
    setIsBroken(false);
    save.reset();
  };
  const changeJson = (written: Record<string, unknown> | undefined) =>
    written ? change(treeOf(Object.keys(written).length > 0 ? written : null)) : setIsBroken(true);
  const rename = (changed: Partial<typeof named>) => {
    setNamed({ ...named, ...changed });
    save.reset();
  };
  return (
    <Section title={words.tabs.filter}>
      <Views name={words.forms} field="form" views={FORMS} current={isJson ? 'json' : 'builder'} />
      <EditForm
        save={words.save}
        saved={words.saved}
        action={save}
        missing={missing}
        isOff={(isJson && isBroken) || !isComplete(tree)}
        onSubmit={() => save.mutate()}
      >
        {isJson ? (
          <JsonField label={words.json} initial={filterOf(tree) ?? {}} onChange={changeJson} />
        ) : (
          <GroupFields node={tree} position="" onChange={change} />
        )}
        <MatchingUsers tree={tree} />
        <TextField label={words.name} value={named.name} onChange={(name) => rename({ name })} />
        <TextField
          label={words.description}
          value={named.description}
          rows={DESCRIPTION_ROWS}
          onChange={(description) => rename({ description })}
        />
      </EditForm>
    </Section>
  );
}
