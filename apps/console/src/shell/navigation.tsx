import { Link, useLocation } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { texts } from '../texts';
import styles from './shell.module.css';

const { groups, screens } = texts;

/** The screens by what they are about, in the order of the navigation; one that does not exist is not linked. */
const GROUPS = [
  [
    groups.activity,
    [
      ['/overview', screens.overview],
      ['/messages', screens.messages],
    ],
  ],
  [
    groups.recipients,
    [
      ['/users', screens.users],
      ['/lists', screens.lists],
      ['/audiences', screens.audiences],
    ],
  ],
  [
    groups.content,
    [
      ['/templates', screens.templates],
      ['/brands', screens.brands],
      ['/translations', screens.translations],
      ['/preferences', screens.preferences],
    ],
  ],
  [
    groups.delivery,
    [
      ['/providers', screens.providers],
      ['/routing-strategies', screens.routingStrategies],
      ['/bulk-jobs', screens.bulkJobs],
      ['/suppressions', screens.suppressions],
      ['/webhooks', screens.webhooks],
      ['/dead-letters', screens.deadLetters],
    ],
  ],
  [
    groups.access,
    [
      ['/api-keys', screens.apiKeys],
      ['/audit-log', screens.auditLog],
      ['/workspaces', screens.workspaces],
    ],
  ],
  [
    groups.tools,
    [
      ['/what-if', screens.whatIf],
      ['/api-reference', screens.apiReference],
    ],
  ],
] as const;

type Screen = (typeof GROUPS)[number][1][number];

/** The screens in the order of the navigation. */
export const SCREENS: readonly Screen[] = GROUPS.flatMap<Screen>(([, ofGroup]) => ofGroup);

/** Screens of the installation, which operators may use. */
const OF_OPERATORS = ['/dead-letters', '/workspaces', '/api-reference'];

/** Whether a path belongs to a screen of operators. */
export function isOfOperators(path: string): boolean {
  return OF_OPERATORS.some((one) => path === one || path.startsWith(`${one}/`));
}

/** Links to the screens; where the window is narrow, behind a button, and each followed link closes them. */
export function Navigation() {
  const { pathname } = useLocation();
  const [openedAt, setOpenedAt] = useState<string>();
  const id = useId();
  const isOpen = openedAt === pathname;
  return (
    <>
      <button
        type="button"
        className={styles.menu}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpenedAt(isOpen ? undefined : pathname)}
      >
        {texts.shell.menu}
      </button>
      <nav id={id} aria-label={texts.shell.main} className={styles.groups} data-open={isOpen || undefined}>
        {GROUPS.map(([group, ofGroup]) => (
          <div key={group} className={styles.group}>
            <p>{group}</p>
            <ul className={styles.links}>
              {ofGroup.map(([to, name]) => (
                <li key={to}>
                  <Link to={to} activeOptions={{ includeSearch: false }} activeProps={{ 'aria-current': 'page' }}>
                    {name}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
    </>
  );
}
