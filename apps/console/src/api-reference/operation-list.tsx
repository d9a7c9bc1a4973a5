import { Link } from '@tanstack/react-router';
import { apiReference as words } from '../screen-texts/api-reference';
import type { Found } from './find';
import type { Operation } from './openapi';
import styles from './api-reference.module.css';

const FIELDS_MAX = 8;

/** Operations, each leading to its page, with the fields by which it was found. */
export function OperationList({ found }: { found: readonly Found<Operation>[] }) {
  return (
    <ul className={styles.operations}>
      {found.map(({ item, fields }) => (
        <li key={item.slug} data-row>
          <OperationLink operation={item} /> <span>{item.summary}</span>
          {fields.length > 0 && (
            <span className={styles.rules}> {words.foundFields(fields.slice(0, FIELDS_MAX), Math.max(0, fields.length - FIELDS_MAX))}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The link to an operation: its method and path. */
export function OperationLink({ operation: { slug, method, path } }: { operation: Operation }) {
  return (
    <Link to="/api-reference/$operation" params={{ operation: slug }} className={styles.operation} activeProps={{ 'aria-current': 'page' }}>
      <span className={styles.method}>{method}</span> <span className={styles.path}>{path}</span>
    </Link>
  );
}
