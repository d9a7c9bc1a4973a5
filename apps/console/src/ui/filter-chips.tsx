import { Link } from '@tanstack/react-router';
import { texts } from '../texts';
import styles from './filter-chips.module.css';

interface FilterChipsProps<Name extends string> {
  /** What the filters are called. */
  names: Readonly<Record<Name, string>>;
  filter: Readonly<Partial<Record<Name, string>>>;
}

/** The filters that are applied, each with a link that removes it. */
export function FilterChips<Name extends string>({ names, filter }: FilterChipsProps<Name>) {
  const applied = Object.entries(filter) as [Name, string | undefined][];
  const given = applied.filter((entry): entry is [Name, string] => entry[1] !== undefined);
  if (given.length === 0) return null;
  return (
    <ul className={styles.chips}>
      {given.map(([name, value]) => (
        <li key={name}>
          <Link
            to="."
            search={(search: object) => ({ ...search, [name]: undefined, cursor: undefined, since: undefined })}
            aria-label={texts.removeFilter(names[name], value)}
          >
            {names[name]}: {value} <span aria-hidden="true">✕</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
