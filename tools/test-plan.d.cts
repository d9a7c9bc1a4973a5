/** How a suite, or a folder of suites, comes to run alone. */
interface RunAlone {
  suites: string;
  because: string;
}

interface Pass {
  name: string;
  projects?: string[];
  without?: string[];
  environment?: Record<string, string>;
  ci?: boolean;
}

export const ALONE: 'alone';
export const SIDE_BY_SIDE: 'side-by-side';
export const GROUPS: string[];
export const PASSES: Pass[];
export const RUN_ALONE: RunAlone[];
export function groupOf(file: string): string;
export function isOf(suite: string, suites: string): boolean;
