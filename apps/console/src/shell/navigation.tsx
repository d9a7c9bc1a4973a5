import { Link } from '@tanstack/react-router';
import { texts } from '../texts';
import styles from './shell.module.css';

/** The screens in the order of the navigation; one that does not exist is not linked. */
export const SCREENS = [
  ['/overview', texts.screens.overview],
  ['/messages', texts.screens.messages],
  ['/users', texts.screens.users],
  ['/lists', texts.screens.lists],
  ['/audiences', texts.screens.audiences],
  ['/templates', texts.screens.templates],
  ['/brands', texts.screens.brands],
  ['/translations', texts.screens.translations],
  ['/preferences', texts.screens.preferences],
  ['/providers', texts.screens.providers],
  ['/routing-strategies', texts.screens.routingStrategies],
  ['/bulk-jobs', texts.screens.bulkJobs],
  ['/suppressions', texts.screens.suppressions],
  ['/webhooks', texts.screens.webhooks],
  ['/dead-letters', texts.screens.deadLetters],
  ['/api-keys', texts.screens.apiKeys],
  ['/audit-log', texts.screens.auditLog],
  ['/workspaces', texts.screens.workspaces],
  ['/what-if', texts.screens.whatIf],
  ['/api-reference', texts.screens.apiReference],
] as const;

/** Screens of the installation, which operators may use. */
const OF_OPERATORS = ['/dead-letters', '/workspaces', '/api-reference'];

/** Whether a path belongs to a screen of operators. */
export function isOfOperators(path: string): boolean {
  return OF_OPERATORS.some((one) => path === one || path.startsWith(`${one}/`));
}

export function Navigation() {
  return (
    <nav aria-label={texts.shell.main}>
      <ul className={styles.links}>
        {SCREENS.map(([to, name]) => (
          <li key={to}>
            <Link to={to} activeOptions={{ includeSearch: false }} activeProps={{ 'aria-current': 'page' }}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
