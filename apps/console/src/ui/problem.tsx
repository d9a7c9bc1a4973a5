import { ApiError } from '../api/client';
import { texts } from '../texts';
import styles from './notice.module.css';

/** What to do about an answer without success. */
function adviceFor(error: unknown): string | undefined {
  const status = error instanceof ApiError ? error.status : undefined;
  if (status === 403) return texts.problems.forbidden;
  if (status === 404) return texts.problems.notFound;
  if (status === 429) return texts.problems.rateLimited;
  if (status !== undefined && status >= 500) return texts.problems.unavailable;
  return undefined;
}

interface ProblemProps {
  error: unknown;
  title?: string;
  onRetry?: () => void;
}

/** An error: what failed, why, and what to do. It stays until it is mended. */
export function Problem({ error, title = texts.problems.title, onRetry }: ProblemProps) {
  const advice = adviceFor(error);
  return (
    <div role="alert" className={styles.notice} data-tone="bad">
      <p>
        <strong>{title}</strong>
      </p>
      <p>{error instanceof Error ? error.message : String(error)}</p>
      {advice && <p>{advice}</p>}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          {texts.problems.retry}
        </button>
      )}
    </div>
  );
}
