import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useMissingScope } from '../api/session';
import type { Audience } from '../api/types';
import { parseObject } from '../json-object';
import { audiences as words } from '../screen-texts/audiences';
import { texts } from '../texts';
import formStyles from './filter-editor.module.css';
import { Problem } from '../ui/problem';
import { Section } from '../ui/section';
import { Views } from '../ui/views';
import { UsualPaths } from './condition-fields';
import { GroupFields } from './filter-builder';
import { type FilterGroup, filterOf, isComplete, treeOf } from './filter-tree';
import { MatchingUsers } from './matching-users';
import { saveAudience } from './queries';

const route = getRouteApi('/audiences/$audienceId');
type Form = keyof typeof words.form;
const FORMS = Object.entries(words.form) as [Form, string][];

/** Name, description and filter of an audience. The filter is built of conditions or written as JSON, and counted meanwhile. */
export function FilterEditor({ audience }: { audience: Audience }) {
  const { form = 'builder' } = route.useSearch();
  const [name, setName] = useState(audience.name);
  const [description, setDescription] = useState(audience.description);
  const [tree, setTree] = useState(() => treeOf(audience.filter, audience.operator ?? undefined));
  /** Written as JSON that has no filter yet, or another spelling of it. */
  const [json, setJson] = useState<string>();
  const problem = json === undefined ? undefined : problemOf(json);
  const missing = useMissingScope('write:audiences');
  const save = useMutation({ mutationFn: () => saveAudience(audience.id, { name, description, filter: filterOf(tree) }) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const change = (changed: FilterGroup, text?: string) => {
    setTree(changed);
    setJson(text);
    save.reset();
  };
  const write = (text: string) => change(filterIn(text) ?? tree, text);
  return (
    <Section title={words.tabs.filter}>
      <Views name={words.forms} field="form" views={FORMS} current={form === 'json' ? 'json' : 'builder'} />
      <form className={formStyles.form} onSubmit={submit} onChange={() => save.reset()}>
        {form === 'json' ? (
          <label>
            {words.json}
            <textarea
              value={json ?? JSON.stringify(filterOf(tree) ?? {}, null, 2)}
              rows={16}
              spellCheck={false}
              aria-invalid={problem !== undefined}
              aria-describedby={problem && 'filter-problem'}
              onChange={({ target }) => write(target.value)}
            />
          </label>
        ) : (
          <>
            <GroupFields node={tree} position="" onChange={change} />
            <UsualPaths />
          </>
        )}
        {problem && (
          <p id="filter-problem" role="alert" className={formStyles.problem}>
            {problem}
          </p>
        )}
        <MatchingUsers tree={tree} />
        <label>
          {words.name}
          <input value={name} onChange={({ target }) => setName(target.value)} />
        </label>
        <label>
          {words.description}
          <textarea value={description} rows={2} onChange={({ target }) => setDescription(target.value)} />
        </label>
        {save.error && <Problem error={save.error} title={texts.problems.failed} />}
        <div className={formStyles.actions}>
          <button
            type="submit"
            className="primary"
            disabled={save.isPending || missing !== undefined || problem !== undefined || !isComplete(tree)}
          >
            {words.save}
          </button>
          {missing && <p className="quiet">{texts.problems.missingScope(missing)}</p>}
          <p role="status">{save.isSuccess && words.saved}</p>
        </div>
      </form>
    </Section>
  );
}

/** The tree of a text, if it is JSON; `{}` is no filter. */
function filterIn(text: string): FilterGroup | undefined {
  const parsed = parseObject(text.trim() || '{}');
  if ('problem' in parsed) return undefined;
  return treeOf(Object.keys(parsed.value).length > 0 ? parsed.value : null);
}

function problemOf(text: string): string | undefined {
  const parsed = parseObject(text.trim() || '{}');
  return 'problem' in parsed ? parsed.problem : undefined;
}
