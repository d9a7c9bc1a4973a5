import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { apiReference as words } from '../screen-texts/api-reference';
import { Heading } from '../ui/heading';
import { SearchForm } from '../ui/search-form';
import styles from './api-reference.module.css';

const PARTS = {
  operations: { to: '/api-reference', label: words.search, hint: words.searchHint },
  events: { to: '/api-reference/events', label: words.topics.search, hint: words.topics.searchHint },
} as const;

interface ReferencePageProps {
  title: string;
  part: keyof typeof PARTS;
  children: ReactNode;
  /** Beside the content on a wide page, below it on a narrow one. */
  aside?: ReactNode;
}

/** A page of the reference: heading, search, the way to its other part, and its content. */
export function ReferencePage({ title, part, children, aside }: ReferencePageProps) {
  const { query } = useSearch({ strict: false });
  const navigate = useNavigate();
  const { to, label, hint } = PARTS[part];
  const search = (text: string) => void navigate({ to, search: { query: text || undefined } });
  return (
    <>
      <Heading title={title} />
      <div className={styles.tools}>
        <SearchForm label={label} hint={hint} value={query ?? ''} onSearch={search} />
        <nav aria-label={words.parts}>
          <ul className={styles.parts}>
            {(Object.keys(PARTS) as (keyof typeof PARTS)[]).map((one) => (
              <li key={one}>
                <Link to={PARTS[one].to} activeOptions={{ exact: true }} aria-current={one === part ? 'true' : undefined}>
                  {words[one]}
                </Link>
              </li>
            ))}
            <li>
              <a href="/openapi.json">{words.forTools.openapi}</a>
            </li>
            <li>
              <a href="/asyncapi.json">{words.forTools.asyncapi}</a>
            </li>
          </ul>
        </nav>
      </div>
      <div className={aside ? styles.columns : styles.column}>
        <div className={styles.column}>{children}</div>
        {aside}
      </div>
    </>
  );
}
