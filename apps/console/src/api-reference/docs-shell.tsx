import { Link, Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useState } from 'react';
import { apiReference as words } from '../screen-texts/api-reference';
import { ThemeSwitch } from '../shell/theme-switch';
import styles from '../shell/shell.module.css';
import { usePageKeys } from '../shell/single-keys';
import { texts } from '../texts';

const HelpDialog = lazy(async () => ({ default: (await import('../shell/help-dialog')).HelpDialog }));

/** What surrounds the reference where it stands alone: it needs no session. */
export function DocsShell() {
  const [isHelp, setIsHelp] = useState(false);
  const onHelp = useCallback(() => setIsHelp(true), []);
  const onGo = useCallback(() => document.querySelector<HTMLElement>('main input[type="search"]')?.focus(), []);
  usePageKeys({ onHelp, onGo });
  return (
    <>
      <a className={styles.skip} href="#content">
        {texts.shell.skip}
      </a>
      <header className={styles.bar}>
        <p className={styles.product}>{texts.product}</p>
        <nav aria-label={texts.shell.main}>
          <ul className={styles.links}>
            <li>
              <Link to="/api-reference" activeOptions={{ includeSearch: false }} activeProps={{ 'aria-current': 'page' }}>
                {texts.screens.apiReference}
              </Link>
            </li>
            <li>
              <a href="/console">{words.shell.console}</a>
            </li>
          </ul>
        </nav>
        <div className={styles.tools}>
          <button type="button" onClick={onHelp} aria-keyshortcuts="?">
            {texts.shell.help}
          </button>
          <ThemeSwitch />
        </div>
        <Suspense>{isHelp && <HelpDialog onClose={() => setIsHelp(false)} />}</Suspense>
      </header>
      <main id="content" tabIndex={-1} className={styles.content}>
        <Outlet />
      </main>
    </>
  );
}
