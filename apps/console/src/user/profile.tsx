import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answerOf, api } from '../api/client';
import { useMissingScope } from '../api/session';
import { parseObject } from '../json-object';
import { texts } from '../texts';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Loaded } from '../ui/loaded';
import { Problem } from '../ui/problem';
import { Section } from '../ui/section';
import { profilePath } from './paths';
import { profileQuery } from './queries';
import styles from './user.module.css';

/** The profile as it is stored, to be changed as JSON. */
export function ProfileView({ userId }: { userId: string }) {
  const query = useQuery({ ...profileQuery(userId), refetchOnWindowFocus: false });
  return (
    <Loaded query={query}>{(profile) => (profile ? <Editor userId={userId} profile={profile} /> : <NoProfile userId={userId} />)}</Loaded>
  );
}

function NoProfile({ userId }: { userId: string }) {
  const command = curl('PUT', profilePath(userId), { profile: { email: 'ada@example.com', name: 'Ada' } });
  return <Empty title={texts.user.noProfile} hint={texts.user.noProfileHint} command={command} />;
}

function Editor({ userId, profile }: { userId: string; profile: Record<string, unknown> }) {
  const [text, setText] = useState(() => JSON.stringify(profile, null, 2));
  const [problem, setProblem] = useState<string>();
  const missing = useMissingScope('write:profiles');
  const save = useMutation({
    mutationFn: (body: { profile: Record<string, unknown> }) =>
      answerOf(api.PUT('/profiles/{user_id}', { params: { path: { user_id: userId } }, body })),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const parsed = parseObject(text);
    setProblem('problem' in parsed ? parsed.problem : undefined);
    if ('value' in parsed) save.mutate({ profile: parsed.value });
  };
  return (
    <Section title={texts.user.tabs.profile}>
      <form className={styles.form} onSubmit={submit}>
        <label className={styles.field}>
          {texts.user.edit}
          <textarea
            value={text}
            rows={Math.min(24, text.split('\n').length + 1)}
            spellCheck={false}
            readOnly={missing !== undefined}
            aria-invalid={problem !== undefined}
            aria-describedby={problem ? 'profile-problem' : undefined}
            onChange={({ target }) => {
              setText(target.value);
              save.reset();
            }}
          />
        </label>
        {problem && (
          <p id="profile-problem" role="alert" className={styles.problem}>
            {problem}
          </p>
        )}
        {save.error && <Problem error={save.error} title={texts.problems.failed} />}
        <div className={styles.actions}>
          <button type="submit" className="primary" disabled={save.isPending || missing !== undefined}>
            {texts.user.save}
          </button>
          {missing && <p className="quiet">{texts.problems.missingScope(missing)}</p>}
          <p role="status">{save.isSuccess && texts.user.saved}</p>
        </div>
      </form>
    </Section>
  );
}
