import { useMutation, useQuery } from '@tanstack/react-query';
import { workspaces as words } from '../screen-texts/workspaces';
import { texts } from '../texts';
import { EditForm } from '../ui/edit-form';
import { Field } from '../ui/field';
import formStyles from '../ui/form.module.css';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { changeLimits, type Limits, limitsQuery } from './queries';

type Quota = keyof typeof words.quotas;
const QUOTAS = Object.entries(words.quotas) as [Quota, string][];

/** How many requests a workspace may make, and how much it may store. */
export function LimitsForm({ id }: { id: string }) {
  const query = useQuery(limitsQuery(id));
  const save = useMutation({ mutationFn: (changed: Parameters<typeof changeLimits>[1]) => changeLimits(id, changed) });
  const submit = (text: (name: string) => string | undefined) => {
    const quotas = QUOTAS.map(([name]) => [name, text(name) === undefined ? null : Number(text(name))]);
    save.mutate({ rate_limit: text('rate') ?? null, ...(Object.fromEntries(quotas) as Partial<Record<Quota, number | null>>) });
  };
  return (
    <Section title={words.limits}>
      <Loaded query={query}>
        {(limits) => (
          <EditForm saved={texts.saved} key={JSON.stringify(limits)} save={words.saveLimits} action={save} onSubmit={submit}>
            <Fields limits={limits} />
          </EditForm>
        )}
      </Loaded>
    </Section>
  );
}

function Fields({ limits }: { limits: Limits }) {
  return (
    <>
      <p>
        {words.limitsHint} {words.effective(limits.effective_rate_limit ?? words.noRate)}
      </p>
      <div className={formStyles.row}>
        <Field label={words.rate}>{() => <input name="rate" defaultValue={limits.rate_limit ?? ''} autoComplete="off" />}</Field>
        {QUOTAS.map(([name, label]) => (
          <Field key={name} label={label}>
            {() => <input type="number" min={0} name={name} defaultValue={limits[name] ?? ''} />}
          </Field>
        ))}
      </div>
    </>
  );
}
