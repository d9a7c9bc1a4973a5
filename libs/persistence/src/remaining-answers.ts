import type { RemainingData } from '@tidings/contracts/identity/erasure';
import type { Queryable } from './transaction';
import { JOURNAL_RETAINED_MS } from './call-journal';
import { statement } from './statement';
import { valueMarks } from './value-marks';

interface Row {
  count: number;
  until: Date | null;
}

// SQL because stored answers are texts without an entity.
const ANSWERS = statement(
  'remaining-idempotency-answers',
  `SELECT count(*)::int AS count, max(expires_at) AS until FROM idempotency_keys
   WHERE workspace_id = $1 AND expires_at > now()
     AND EXISTS (SELECT FROM unnest($2::text[]) AS mark WHERE strpos(outcome, mark) > 0 OR strpos(effect, mark) > 0)`,
);
const JOURNAL = statement(
  'remaining-journal-answers',
  `SELECT count(*)::int AS count, max(at) + $2 * interval '1 millisecond' AS until FROM call_journal
   WHERE EXISTS (SELECT FROM unnest($1::text[]) AS mark WHERE strpos(answer::text, mark) > 0)`,
);

/** The answers of this service that name a user, under Idempotency-Keys and of commands that may be delivered twice, with their end. */
export async function remainingAnswers(database: Queryable, workspaceId: string, userId: string): Promise<RemainingData[]> {
  const marks = valueMarks(userId);
  const [answers] = await database.query<Row>(ANSWERS, [workspaceId, marks]);
  const [journal] = await database.query<Row>(JOURNAL, [marks, JOURNAL_RETAINED_MS]);
  return [
    { what: 'answers under Idempotency-Keys', ...answers! },
    { what: 'answers of commands (call_journal)', ...journal! },
  ].flatMap(({ what, count, until }) => (count > 0 ? [{ what, count, until: until!.toISOString() }] : []));
}
