import { Link, useSearch } from '@tanstack/react-router';
import { texts } from '../texts';
import styles from './paging.module.css';

interface PagingProps {
  paging: { more: boolean; cursor?: string | null };
  /** Further fields of the next page's address. */
  also?: Record<string, string | undefined>;
  labels?: { first: string; next: string };
}

/** Links to the first page and to the next one. Each page has an address, so that the browser leads back. */
export function Paging({ paging, also, labels = { first: texts.paging.first, next: texts.paging.next } }: PagingProps) {
  const isFirst = useSearch({ strict: false }).cursor === undefined;
  if (isFirst && !paging.more) return null;
  return (
    <p className={styles.paging}>
      {!isFirst && (
        <Link to="." className="button" search={(search: object) => ({ ...search, cursor: undefined, since: undefined })}>
          {labels.first}
        </Link>
      )}
      {paging.more && (
        <Link to="." className="button" search={(search: object) => ({ ...also, ...search, cursor: paging.cursor ?? undefined })}>
          {labels.next}
        </Link>
      )}
    </p>
  );
}
