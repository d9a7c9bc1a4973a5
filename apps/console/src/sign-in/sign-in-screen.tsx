import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { ApiError } from '../api/client';
import { signInElsewhere, signInWithQuery, useSignIn } from '../api/session';
import { signIn as words } from '../screen-texts/sign-in';
import { texts } from '../texts';
import { Heading } from '../ui/heading';
import styles from './sign-in.module.css';

/** Shown at every address while there is no session; afterwards the address shows its own page. `refusal`: why a link did not sign in. */
export function SignInScreen({ refusal }: { refusal?: string }) {
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState(refusal);
  const [isBusy, setIsBusy] = useState(false);
  const signIn = useSignIn();
  const { data: label } = useQuery(signInWithQuery);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const key = field.current?.value.trim() ?? '';
    setProblem(undefined);
    if (key === '') return fail(words.empty);
    setIsBusy(true);
    try {
      await signIn({ key });
    } catch (error) {
      setIsBusy(false);
      fail(error instanceof ApiError && error.status === 401 ? words.wrong : (error as Error).message);
    }
  };
  const fail = (text: string) => {
    setProblem(text);
    field.current?.focus();
  };

  return (
    <main className={styles.page}>
      <form className={styles.form} onSubmit={(event) => void submit(event)}>
        <p className={styles.product}>{texts.product}</p>
        <Heading title={words.title} />
        {problem && (
          <p role="alert" id="sign-in-problem" className={styles.problem}>
            {problem}
          </p>
        )}
        {label && (
          <>
            <button type="button" className="primary" onClick={signInElsewhere}>
              {words.with(label)}
            </button>
            <p className={styles.or}>{words.or}</p>
          </>
        )}
        <label className={styles.field}>
          {words.key}
          <input
            ref={field}
            type="password"
            name="key"
            autoComplete="current-password"
            autoFocus
            spellCheck={false}
            aria-invalid={problem !== undefined}
            aria-describedby={problem ? 'sign-in-problem' : undefined}
          />
        </label>
        <button type="submit" className={label ? undefined : 'primary'} disabled={isBusy}>
          {isBusy ? words.busy : words.action}
        </button>
        <p className="quiet">{words.hint}</p>
        <p className="quiet">{words.where}</p>
      </form>
    </main>
  );
}
