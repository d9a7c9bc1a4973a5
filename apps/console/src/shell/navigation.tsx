import { Link } from '@tanstack/react-router';
import { texts } from '../texts';
import styles from './shell.module.css';

/** The screens in the order of the navigation; one that does not exist is not linked. */
export const SCREENS = [
  ['/overview', texts.screens.overview],
  ['/messages', texts.screens.messages],
  ['/users', texts.screens.users],
] as const;

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
