import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { LogInspection } from '@tidings/events/inspection';
import type { Queryable } from '@tidings/persistence/database';
import type { ProgressLines, StateFile } from '@tidings/runtime/long-command';
import { PASSES } from './pages';
import { PROBLEM_KINDS, type Problem, type ProblemName } from './problems';
import { repair } from './repairs';
import { checkRequests } from './requests';

/** Problems that a report lists one by one; the others are counted. */
const LISTED_MAX = 1_000;

/** A problem as a report lists it. */
export interface ListedProblem {
  problem: ProblemName;
  workspace_id: string;
  /** Of the message, the request or the job. */
  id: string;
  leaf?: number;
  /** When a lost request was accepted, ISO 8601. */
  accepted_at?: string;
  repaired: boolean;
  /** What was done, or why nothing was. */
  result: string;
}

/** Messages and requests of a workspace. `accepted` is the sum of the others. */
export interface WorkspaceCounts {
  final: number;
  pending: number;
  /** Requests that are in the log and not read yet. */
  unread: number;
  /** Messages of which nothing waits although they have not ended. */
  stopped: number;
  /** Requests that are handled and stored nowhere. */
  lost: number;
}

/** What a check has found so far, and where it continues. Plain data. */
export interface CheckState {
  /** Index of the pass; after the last one comes the log. */
  pass: number;
  after?: unknown[];
  logCursor?: string;
  rows: number;
  records: number;
  counts: Record<string, WorkspaceCounts>;
  found: Partial<Record<ProblemName, { found: number; repaired: number }>>;
  listed: ListedProblem[];
}

export const newState = (): CheckState => ({ pass: 0, rows: 0, records: 0, counts: {}, found: {}, listed: [] });

interface CheckContext {
  readonly database: Queryable;
  /** Absent: no log is configured, and only tables are checked. */
  readonly log?: LogInspection;
  readonly repairs: boolean;
  readonly progress: ProgressLines;
  readonly file: StateFile<CheckState>;
  readonly signal: AbortSignal;
}

/**
 * Checks all tables, then the log of accepted requests, page by page; continues with `state`, and changes it. Each page is one statement, so
 * what it compares was true at one instant. @throws the reason of the signal; DatabaseUnavailable
 */
export async function check(state: CheckState, context: CheckContext): Promise<void> {
  const { database, log, progress, file, signal } = context;
  for (; state.pass < PASSES.length; state.pass += 1, state.after = undefined) {
    const { name, page } = PASSES[state.pass]!;
    do {
      signal.throwIfAborted();
      const { rows, problems, counts, next } = await page(database, state.after);
      for (const [workspaceId, { final, pending }] of counts ?? []) add(countsOf(state, workspaceId), { final, pending });
      await note(state, problems, context);
      state.rows += rows;
      state.after = next;
      progress.note(() => `${name}: ${state.rows} rows read, ${problemCount(state)} problems`);
      file.note(() => state);
    } while (state.after);
  }
  if (!log) return;
  for await (const { records, cursor } of log.pages(state.logCursor, signal)) {
    const { lost, waiting } = await checkRequests(database, records);
    for (const [workspaceId, count] of waiting) countsOf(state, workspaceId).unread += count;
    await note(state, lost, context);
    state.records += records.length;
    state.logCursor = cursor;
    progress.note(() => `accepted requests: ${state.records} read, ${problemCount(state)} problems`);
    file.note(() => state);
  }
}

/** How many problems were found, and are not repaired. */
export function unrepairedCount({ found }: CheckState): number {
  return Object.values(found).reduce((sum, one) => sum + one.found - one.repaired, 0);
}

function problemCount({ found }: CheckState) {
  return Object.values(found).reduce((sum, one) => sum + one.found, 0);
}

async function note(state: CheckState, problems: readonly Problem[], { database, repairs, progress }: CheckContext) {
  for (const problem of problems) {
    const counted = (state.found[problem.problem] ??= { found: 0, repaired: 0 });
    counted.found += 1;
    if (problem.problem === 'message-without-work') countsOf(state, problem.workspaceId).stopped += 1;
    if (problem.problem === 'lost-request') countsOf(state, problem.workspaceId).lost += 1;
    const repaired = repairs && (await repair(database, problem));
    if (repaired) counted.repaired += 1;
    const listed = listedOf(problem, repaired, repairs);
    if (state.listed.length < LISTED_MAX) state.listed.push(listed);
    if (repairs) progress.say(lineOf(listed));
  }
}

/** One problem as a line. */
export function lineOf({ problem, workspace_id, id, leaf, accepted_at, result }: ListedProblem): string {
  const what = [`${problem}: ${id}`, leaf === undefined ? [] : `route ${leaf}`, `of workspace ${workspace_id}`].flat().join(' ');
  return `${what}${accepted_at === undefined ? '' : `, accepted ${accepted_at}`}: ${result}`;
}

function listedOf({ problem, workspaceId, uuid, leaf, at }: Problem, repaired: boolean, repairs: boolean): ListedProblem {
  const { repair: done, unrepaired }: { repair?: string; unrepaired?: string } = PROBLEM_KINDS[problem];
  const reason = repairs || done === undefined ? (unrepaired ?? 'it changed meanwhile') : '--repair mends it';
  return {
    problem,
    workspace_id: workspaceId,
    id: uuidToMessageId(uuid),
    ...(leaf !== undefined && { leaf }),
    ...(at !== undefined && { accepted_at: new Date(at).toISOString() }),
    repaired,
    result: repaired ? done! : `not repaired: ${reason}`,
  };
}

function countsOf(state: CheckState, workspaceId: string) {
  return (state.counts[workspaceId] ??= { final: 0, pending: 0, unread: 0, stopped: 0, lost: 0 });
}

function add(counts: WorkspaceCounts, { final, pending }: Pick<WorkspaceCounts, 'final' | 'pending'>) {
  counts.final += final;
  counts.pending += pending;
}
