import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { hasScope, sessionQuery } from '../api/session';
import { duration } from '../format';
import { apiReference } from '../screen-texts/api-reference';
import { texts } from '../texts';
import { Facts } from '../ui/facts';
import { Problem } from '../ui/problem';
import { Section } from '../ui/section';
import { TextBlock } from '../ui/text-block';
import type { Operation } from './openapi';
import { exampleOf, keyOf, requestOf } from './request';
import { type Answered, send } from './send-request';
import styles from './api-reference.module.css';

const { tryIt: words, locations } = apiReference;
const BODY_ROWS_MAX = 16;
/** Of a longer answer the beginning is shown. */
const SHOWN_MAX = 100_000;

/** The key that was typed, as long as the page is there: it is stored nowhere else. */
let typedKey = '';

/** A form that sends the request: as the session, or with a key. */
export function TryIt({ operation }: { operation: Operation }) {
  const { data: session } = useQuery(sessionQuery);
  const queries = useQueryClient();
  const [typed, setTyped] = useState(() => exampleOf(operation));
  const [key, setKey] = useState(typedKey);
  const [isByKey, setIsByKey] = useState(typedKey !== '');
  const [isSending, setIsSending] = useState(false);
  const [answered, setAnswered] = useState<Answered>();
  const [problem, setProblem] = useState<unknown>();
  const withKey = isByKey || !session;
  const { scope = 'any' } = operation;
  const isAllowed = withKey || scope === 'none' || scope === 'any' || hasScope(session, scope);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setIsSending(true);
    setProblem(undefined);
    try {
      setAnswered(await send(requestOf(operation, typed), withKey ? key.trim() : undefined));
    } catch (error) {
      setAnswered(undefined);
      setProblem(error);
    }
    setIsSending(false);
    // The request may have started or ended the session.
    if (operation.path === '/console/api/session' && !withKey) await queries.invalidateQueries(sessionQuery);
  };
  const note = (text: string) => {
    typedKey = text;
    setKey(text);
  };
  return (
    <Section title={words.title} actions={operation.method !== 'GET' && <strong className={styles.unsafe}>{words.unsafe}</strong>}>
      {operation.method !== 'GET' && <p className="quiet">{words.unsafeHint}</p>}
      <form className={styles.form} onSubmit={(event) => void submit(event)} autoComplete="off">
        {session && (
          <label className={styles.input}>
            {words.credential}
            <select value={withKey ? 'key' : 'session'} onChange={({ target }) => setIsByKey(target.value === 'key')}>
              <option value="session">{words.session}</option>
              <option value="key">{words.key}</option>
            </select>
          </label>
        )}
        {withKey && scope !== 'none' && <KeyField value={key} onChange={note} />}
        {operation.parameters.map((parameter) => (
          <label key={keyOf(parameter)} className={styles.input}>
            <span>
              {parameter.name} <span className="quiet">({locations[parameter.in]})</span>
            </span>
            <input
              value={typed.values[keyOf(parameter)] ?? ''}
              required={parameter.required}
              spellCheck={false}
              onChange={({ target }) => setTyped((one) => ({ ...one, values: { ...one.values, [keyOf(parameter)]: target.value } }))}
            />
          </label>
        ))}
        {operation.body && (
          <label className={styles.input} data-wide>
            {words.body}
            <textarea
              value={typed.body}
              rows={Math.min(BODY_ROWS_MAX, typed.body.split('\n').length + 1)}
              spellCheck={false}
              onChange={({ target }) => setTyped((one) => ({ ...one, body: target.value }))}
            />
          </label>
        )}
        <p data-wide>
          <button
            type="submit"
            className="primary"
            disabled={isSending || !isAllowed}
            title={isAllowed ? undefined : texts.problems.missingScope(scope)}
          >
            {isSending ? words.sending : words.send}
          </button>
        </p>
        {!isAllowed && (
          <p className="quiet" data-wide>
            {texts.problems.missingScope(scope)}
          </p>
        )}
      </form>
      <p role="status">{answered && words.answered(answered.status, duration(answered.durationMs))}</p>
      {problem !== undefined && <Problem error={problem} title={words.failed} />}
      {answered && <AnswerParts answered={answered} />}
    </Section>
  );
}

function KeyField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  return (
    <div className={styles.input}>
      <label>
        {words.key}
        <input type="password" value={value} autoComplete="off" onChange={({ target }) => onChange(target.value)} />
      </label>
      <p className="quiet">{words.keyHint}</p>
    </div>
  );
}

function AnswerParts({ answered: { headers, body } }: { answered: Answered }) {
  const shown = body.length > SHOWN_MAX ? `${body.slice(0, SHOWN_MAX)}\n…` : body;
  return (
    <Facts
      facts={[
        [words.headers, <TextBlock text={headers} name={words.headers} />],
        [words.answer, body === '' ? words.empty : <TextBlock text={shown} name={words.answer} />],
      ]}
    />
  );
}
