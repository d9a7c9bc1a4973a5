import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { useMissingScope } from '../api/session';
import type { Template } from '../api/types';
import { JsonEditor } from '../json-editor/json-editor';
import { parseObject } from '../json-object';
import { templateEditor as words } from '../screen-texts/template-editor';
import { NO_SAMPLES, Preview, usePreview } from '../templates/preview';
import { versionsQuery } from '../templates/queries';
import { textOfContent } from '../templates/text-of-content';
import { texts } from '../texts';
import { Action, ActionBar } from '../ui/action';
import actions from '../ui/action.module.css';
import { Problem } from '../ui/problem';
import { Section } from '../ui/section';
import { useSettled } from '../ui/settled';
import { ConflictDialog } from './conflict-dialog';
import styles from './editor.module.css';
import { LanguageTexts } from './language-texts';
import { LeaveDialog } from './leave-dialog';
import { remarksOf } from './remarks-of';
import { TestSendDialog } from './test-send-dialog';
import { isConflict, useSave } from './use-save';

/** The text of a draft, to be saved and published; `onReload` begins anew with what is stored. */
export function Editor({ template, onReload }: { template: Template; onReload: () => void }) {
  const { id } = template;
  const missing = useMissingScope('write:notifications');
  const [base, setBase] = useState(() => ({ etag: template.etag, text: textOfContent(template.content) }));
  const [text, setText] = useState(base.text);
  const [content, setContent] = useState<Record<string, unknown>>(() => ({ ...template.content }));
  const [samples, setSamples] = useState(NO_SAMPLES);
  const [isTesting, setIsTesting] = useState(false);
  const settled = useSettled(text);
  useEffect(() => {
    const parsed = parseObject(settled);
    if ('value' in parsed) setContent(parsed.value);
  }, [settled]);
  const preview = usePreview({ template: id, content }, samples);
  const save = useSave(id, setBase);
  const remarks = useMemo(() => remarksOf(preview.data, preview.error, save.error), [preview.data, preview.error, save.error]);
  const { data: versions } = useQuery(versionsQuery(id, undefined));

  const isDirty = text !== base.text;
  const isPublished = !isDirty && versions?.versions[0]?.has_changes === false;
  const isWrong = 'problem' in parseObject(text);
  const store = (state: 'DRAFT' | 'PUBLISHED', etag = base.etag) => save.mutate({ text, etag, state });
  return (
    <>
      <ActionBar>
        <Action name={words.save} missing={missing} isOff={!isDirty || isWrong || save.isPending} onPress={() => store('DRAFT')} />
        <Action
          name={words.publish}
          missing={missing}
          isOff={isWrong || isPublished || save.isPending}
          onPress={() => store('PUBLISHED')}
        />
        <Action name={words.test} missing={useMissingScope('write:send')} isOff={isWrong} onPress={() => setIsTesting(true)} />
        <Link to="/templates/$templateId" params={{ templateId: id }} search={{ version: 'draft' }} className="button">
          {words.back}
        </Link>
        <p role="status" className={actions.done}>
          {isDirty ? words.unsaved : save.data && (save.data.state === 'PUBLISHED' ? words.published(save.data.version) : words.saved)}
        </p>
      </ActionBar>
      {save.error && !isConflict(save.error) && <Problem error={save.error} title={texts.problems.failed} />}
      <div className={styles.sides}>
        <Section title={words.content}>
          <JsonEditor label={words.label} initial={base.text} remarks={remarks} isReadOnly={missing !== undefined} onChange={setText} />
        </Section>
        <Preview query={preview} onSamples={setSamples} />
      </div>
      <LanguageTexts templateId={id} etag={base.etag} isDirty={isDirty} onSaved={onReload} />
      {isTesting && (
        <TestSendDialog
          template={template}
          content={isPublished ? undefined : content}
          data={samples.data}
          onClose={() => setIsTesting(false)}
        />
      )}
      {isConflict(save.error) && (
        <ConflictDialog
          templateId={id}
          mine={text}
          save={save}
          onOverwrite={(etag) => store(save.variables?.state ?? 'DRAFT', etag)}
          onDiscard={onReload}
          onClose={() => save.reset()}
        />
      )}
      <LeaveDialog isDirty={isDirty} />
    </>
  );
}
