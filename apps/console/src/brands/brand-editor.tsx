import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Brand } from '../api/types';
import { brands as words } from '../screen-texts/brands';
import { EditForm } from '../ui/edit-form';
import { JsonField } from '../ui/json-field';
import { Section } from '../ui/section';
import { useSettled } from '../ui/settled';
import { Views } from '../ui/views';
import { BrandFields } from './brand-fields';
import { BrandPreview } from './brand-preview';
import styles from './brands.module.css';
import { previewable } from './previewable';
import { type BrandDraft, replaceBrand } from './queries';
import { useMissingBrandScope } from './scope';

const route = getRouteApi('/brands/$brandId');
const VIEWS = Object.entries(words.views) as ['form' | 'json', string][];

/** The settings of a brand as a form or as JSON, with a mail that is rendered with them while they are written. */
export function BrandEditor({ brand }: { brand: Brand }) {
  const { view } = route.useSearch();
  const [draft, setDraft] = useState<BrandDraft>(() => ({ name: brand.name, settings: brand.settings, snippets: brand.snippets }));
  const [isChanged, setIsChanged] = useState(false);
  const [isBroken, setIsBroken] = useState(false);
  const missing = useMissingBrandScope(brand.id);
  const save = useMutation({ mutationFn: () => replaceBrand(brand.id, draft), onSuccess: () => setIsChanged(false) });
  const change = (changed: BrandDraft) => {
    setDraft(changed);
    setIsChanged(true);
    save.reset();
  };
  const changeJson = (changed: Record<string, unknown> | undefined) => {
    setIsBroken(changed === undefined);
    if (changed) change(changed as unknown as BrandDraft);
  };
  const isJson = view === 'json';
  const isReadOnly = missing !== undefined;
  return (
    <div className={styles.editor}>
      <Section title={words.edit}>
        <Views name={words.viewsName} field="view" views={VIEWS} current={isJson ? 'json' : 'form'} />
        <EditForm
          save={words.save}
          saved={words.saved}
          action={save}
          missing={missing}
          isErrorShown={isJson}
          onSubmit={() => (isJson && isBroken) || save.mutate()}
        >
          {isJson ? (
            <JsonField label={words.json} initial={draft} error={save.error} isReadOnly={isReadOnly} onChange={changeJson} />
          ) : (
            <BrandFields brandId={brand.id} draft={draft} error={save.error} isReadOnly={isReadOnly} onChange={change} />
          )}
          <p className="quiet">
            {isChanged && <strong>{words.unsaved} </strong>}
            {words.saveHint}
          </p>
        </EditForm>
      </Section>
      <BrandPreview draft={previewable(useSettled(draft))} />
    </div>
  );
}
