import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useRouteContext } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useState } from 'react';
import { sessionQuery, useSignOut } from '../api/session';
import { SignInScreen } from '../sign-in/sign-in-screen';
import { texts } from '../texts';
import { Empty } from '../ui/empty';
import { Problem } from '../ui/problem';
import { Heading } from '../ui/heading';
import { isOfOperators, Navigation } from './navigation';
import { usePageKeys } from './single-keys';
import styles from './shell.module.css';
import { ThemeSwitch } from './theme-switch';

const HelpDialog = lazy(async () => ({ default: (await import('./help-dialog')).HelpDialog }));
const GoDialog = lazy(async () => ({ default: (await import('./go-dialog')).GoDialog }));

/** What surrounds every page; without a session it is the sign-in. */
export function Shell() {
  const { data: session, error, refetch } = useQuery(sessionQuery);
  const { refusal } = useRouteContext({ from: '__root__' });
  const { pathname } = useLocation();
  if (session === undefined) return error ? <Problem error={error} onRetry={() => void refetch()} /> : null;
  if (session === null) return <SignInScreen refusal={refusal} />;
  return (
    <>
      <a className={styles.skip} href="#content">
        {texts.shell.skip}
      </a>
      <Bar workspace={session.workspace?.name} isTest={session.mode === 'test'} />
      <main id="content" tabIndex={-1} className={styles.content}>
        {session.workspace || isOfOperators(pathname) ? <Outlet /> : <OperatorNotice />}
      </main>
    </>
  );
}

function OperatorNotice() {
  return (
    <>
      <Heading title={texts.shell.operator} />
      <Empty title={texts.shell.operator} hint={texts.shell.operatorHint}>
        <Link to="/dead-letters" className="button">
          {texts.screens.deadLetters}
        </Link>
      </Empty>
    </>
  );
}

function Bar({ workspace, isTest }: { workspace?: string; isTest: boolean }) {
  const [dialog, setDialog] = useState<'help' | 'go'>();
  const signOut = useSignOut();
  const onHelp = useCallback(() => setDialog('help'), []);
  const onGo = useCallback(() => setDialog('go'), []);
  const close = useCallback(() => setDialog(undefined), []);
  usePageKeys({ onHelp, onGo });
  return (
    <header className={styles.bar}>
      <p className={styles.product}>
        {texts.product} {workspace && <span className={styles.workspace}>{workspace}</span>}
      </p>
      <Navigation />
      {isTest && <p className={styles.test}>{texts.shell.testMode}</p>}
      <div className={styles.tools}>
        <button type="button" onClick={onGo} aria-keyshortcuts="Control+K">
          {texts.shell.find}
        </button>
        <button type="button" onClick={onHelp} aria-keyshortcuts="?">
          {texts.shell.help}
        </button>
        <ThemeSwitch />
        <button type="button" onClick={() => void signOut()}>
          {texts.shell.signOut}
        </button>
      </div>
      <Suspense>
        {dialog === 'help' && <HelpDialog onClose={close} />}
        {dialog === 'go' && <GoDialog onClose={close} />}
      </Suspense>
    </header>
  );
}
