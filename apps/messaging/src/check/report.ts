import { type CheckState, lineOf, unrepairedCount, type WorkspaceCounts } from './check';
import { PROBLEM_KINDS, type ProblemName } from './problems';

/** Workspaces that a report for people names one by one. */
const WORKSPACES_SHOWN_MAX = 50;

const acceptedOf = ({ final, pending, unread, stopped, lost }: WorkspaceCounts) => final + pending + unread + stopped + lost;

/** The report as data. */
export function reportData({ rows, records, counts, found, listed }: CheckState, isComplete: boolean, hasLog: boolean): object {
  return {
    complete: isComplete,
    rows,
    requests: hasLog ? records : null,
    workspaces: Object.entries(counts).map(([workspace_id, one]) => ({ workspace_id, accepted: acceptedOf(one), ...one })),
    problems: Object.entries(found).map(([problem, one]) => ({ problem, ...one })),
    listed,
  };
}

/** The report for people. */
export function reportLines(state: CheckState, hasLog: boolean): string[] {
  const counts = Object.entries(state.counts);
  const shown = counts.slice(0, WORKSPACES_SHOWN_MAX);
  const more = counts.length - shown.length;
  const found = Object.entries(state.found) as [ProblemName, { found: number; repaired: number }][];
  return [
    ...shown.map(([id, one]) => workspaceLine(id, one)),
    ...(more > 0 ? [`… and ${more} more workspaces: --json prints all`] : []),
    `${state.rows} rows read${hasLog ? `, ${state.records} accepted requests of the log` : '; no log was read: KAFKA_BROKERS is not set, and the database has none'}`,
    ...found.map(([name, one]) => `${name}: ${one.found} found, ${one.repaired} repaired (${PROBLEM_KINDS[name].means})`),
    ...state.listed.map((one) => `  ${lineOf(one)}`),
    found.length === 0 ? 'Nothing is wrong' : `${unrepairedCount(state)} problems are left`,
  ];
}

function workspaceLine(id: string, counts: WorkspaceCounts) {
  const { final, pending, unread, stopped, lost } = counts;
  const parts = [`${final} final`, `${pending} pending`, ...(unread > 0 ? [`${unread} not read yet`] : [])];
  const wrong = [...(stopped > 0 ? [`${stopped} stopped`] : []), ...(lost > 0 ? [`${lost} lost`] : [])];
  return `Workspace ${id}: ${acceptedOf(counts)} accepted = ${[...parts, ...wrong].join(' + ')}`;
}
