import { useMutation, useQuery } from '@tanstack/react-query';
import { workspaces as words } from '../screen-texts/workspaces';
import { texts } from '../texts';
import { EditForm } from '../ui/edit-form';
import { Field } from '../ui/field';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { replaceSenders, sendersQuery } from './queries';

/** From which domains a workspace may send with the operators' e-mail provider. */
export function SendersForm({ id }: { id: string }) {
  const query = useQuery(sendersQuery(id));
  const save = useMutation({ mutationFn: (domains: string[] | null) => replaceSenders(id, domains) });
  return (
    <Section title={words.senders}>
      <Loaded query={query}>
        {({ domains, allowed }) => (
          <EditForm
            saved={texts.saved}
            key={JSON.stringify(domains)}
            save={words.saveSenders}
            action={save}
            onSubmit={(text) => save.mutate(text('domains')?.split(/\s+/) ?? null)}
          >
            <Field label={words.domains} hint={`${words.sendersHint} ${words.allowed(allowed)}`}>
              {(hint) => <textarea name="domains" rows={3} defaultValue={domains?.join('\n')} spellCheck={false} aria-describedby={hint} />}
            </Field>
          </EditForm>
        )}
      </Loaded>
    </Section>
  );
}
