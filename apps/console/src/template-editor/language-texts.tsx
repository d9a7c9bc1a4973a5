import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import { useMissingScope } from '../api/session';
import { templateEditor as words } from '../screen-texts/template-editor';
import { contentQuery } from '../templates/queries';
import { EditForm } from '../ui/edit-form';
import { LiveField } from '../ui/live-field';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { TextBlock } from '../ui/text-block';
import styles from './editor.module.css';
import { localeBody, type Node, textsIn } from './translatable';

const route = getRouteApi('/templates/$templateId/edit');

interface LanguageTextsProps {
  templateId: string;
  etag: string;
  /** Whether the draft has unsaved changes: its texts may be others then. */
  isDirty: boolean;
  onSaved: () => void;
}

/** The texts of the draft in a language, which the address names, each beside the original. */
export function LanguageTexts({ isDirty, ...rest }: LanguageTextsProps) {
  const { language } = route.useSearch();
  const navigate = useNavigate();
  const choose = (text: string) =>
    void navigate({
      to: '.',
      replace: true,
      resetScroll: false,
      search: (earlier) => ({ ...earlier, language: text.trim() || undefined }),
    });
  return (
    <Section title={words.languages}>
      <div className={styles.languages}>
        <p className="quiet">{words.languageHint}</p>
        <LiveField label={words.language} value={language ?? ''} onSettle={choose} />
        {language !== undefined && (isDirty ? <p>{words.languageDirty}</p> : <Stored key={language} {...rest} language={language} />)}
      </div>
    </Section>
  );
}

type StoredProps = Omit<LanguageTextsProps, 'isDirty'> & { language: string };

function Stored(props: StoredProps) {
  const query = useQuery(contentQuery(props.templateId));
  return <Loaded query={query}>{({ elements }) => <Form {...props} elements={(elements ?? []) as Node[]} />}</Loaded>;
}

function Form({ templateId, etag, language, elements, onSaved }: StoredProps & { elements: readonly Node[] }) {
  const missing = useMissingScope('write:notifications');
  const [found, setFound] = useState(() => textsIn(elements, language));
  const save = useMutation({
    mutationFn: () => {
      const params = { path: { id: templateId, localeId: language }, query: { if_match: etag } };
      return answerOf(api.PUT('/notifications/{id}/locales/{localeId}', { params, body: localeBody(elements, language, found) }));
    },
    onSuccess: onSaved,
  });
  if (found.length === 0) return <p className="quiet">{words.languageNone}</p>;
  const change = (changed: number, translated: string) =>
    setFound((earlier) => earlier.map((one, index) => (index === changed ? { ...one, translated } : one)));
  return (
    <EditForm save={words.saveLanguage} action={save} missing={missing} onSubmit={() => save.mutate()}>
      {found.map(({ nodeId, type, field, original, translated }, index) => (
        <div key={`${nodeId} ${field}`} className={styles.text}>
          <TextBlock text={original} name={`${type} ${field}`} />
          <textarea
            aria-label={`${original} (${language})`}
            value={translated}
            rows={Math.min(8, original.split('\n').length + 1)}
            readOnly={missing !== undefined}
            onChange={({ target }) => change(index, target.value)}
          />
        </div>
      ))}
    </EditForm>
  );
}
