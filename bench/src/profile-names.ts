import path from 'node:path';

/** Environment variable with the folder for CPU profiles of the product's processes. */
export const PROFILE_DIRECTORY = 'BENCH_PROFILE_DIRECTORY';

const SUFFIX = '.cpuprofile';

export const profileFile = (directory: string, pid: number): string => path.join(directory, `tidings-${pid}${SUFFIX}`);
