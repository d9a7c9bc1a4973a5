import { Link } from '@tanstack/react-router';
import styles from './views.module.css';

interface ViewsProps<Id extends string> {
  /** The accessible name. */
  name: string;
  /** The field of the address that has the chosen view. */
  field: string;
  views: readonly (readonly [id: Id, text: string])[];
  current: Id;
}

/** Links to the views of one page, one of which is shown: each has an address. */
export function Views<Id extends string>({ name, field, views, current }: ViewsProps<Id>) {
  return (
    <nav aria-label={name}>
      <ul className={styles.views}>
        {views.map(([id, text]) => (
          <li key={id}>
            <Link
              to="."
              replace
              resetScroll={false}
              search={(search: object) => ({ ...search, cursor: undefined, since: undefined, [field]: id })}
              aria-current={id === current ? 'page' : undefined}
              activeProps={{ 'aria-current': id === current ? 'page' : undefined }}
            >
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
