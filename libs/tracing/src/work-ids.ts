import { AsyncLocalStorage } from 'node:async_hooks';
import type { TraceContext } from './trace-context';

/** The ids of the work at hand. */
export interface WorkIds {
  /** The span of the work. */
  readonly trace?: TraceContext;
  /** `X-Request-Id` of the client's request; the `callId` of its calls. */
  readonly requestId?: string;
  readonly messageId?: string;
  readonly workspaceId?: string;
}

interface Work {
  readonly ids: WorkIds;
  /** What it started and left running (a timer, a connection) is no part of it. */
  isOver: boolean;
}

let storage: AsyncLocalStorage<Work> | undefined;

/** From this version on an `AsyncLocalStorage` costs a request less than 1 µs. Before, it costs every promise of the process. */
const CHEAP_SINCE_NODE = 24;

/** Whether following work costs next to nothing on this Node.js. */
export const isFollowingCheap = Number(process.versions.node.split('.')[0]) >= CHEAP_SINCE_NODE;

/** Makes `withIds` note ids from now on; without it `withIds` only runs the work. Called at the start of a process. */
export function followWork(): void {
  storage ??= new AsyncLocalStorage();
}

/** Whether ids are noted. Callers ask before they make the ids. */
export function isWorkFollowed(): boolean {
  return storage !== undefined;
}

/** Runs `work`; until it ends, `currentIds` within it, in what it calls and awaits, are `ids` and those around. */
export function withIds<Result>(ids: WorkIds, work: () => Result): Result {
  if (!storage) return work();
  const own: Work = { ids: { ...currentIds(), ...ids }, isOver: false };
  const end = () => void (own.isOver = true);
  try {
    const result = storage.run(own, work);
    if (result instanceof Promise) result.then(end, end);
    else end();
    return result;
  } catch (error) {
    end();
    throw error;
  }
}

/** The ids of the work at hand; `undefined` outside any, and where work is not followed. */
export function currentIds(): WorkIds | undefined {
  const work = storage?.getStore();
  return work && !work.isOver ? work.ids : undefined;
}
