import path from 'node:path';

/** The variable that says where a process of the product leaves its CPU profile. */
export const PROFILE_DIRECTORY = 'BENCH_PROFILE_DIRECTORY';

const SUFFIX = '.cpuprofile';

export const profileFile = (directory: string, pid: number): string => path.join(directory, `tidings-${pid}${SUFFIX}`);
