import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { texts } from '../texts';
import styles from './notice.module.css';
import { Problem } from './problem';

/** What a query has read, or why it has not. Data that was read stays on the page when a later read fails. */
export function Loaded<Data>({ query, children }: { query: UseQueryResult<Data>; children: (data: Data) => ReactNode }) {
  const { data, error, isPending, refetch } = query;
  return (
    <>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <p className={styles.loading}>{texts.loading}</p>}
      {data !== undefined && children(data)}
    </>
  );
}
