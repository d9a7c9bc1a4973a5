/** CPU time of one call of `work`, in µs: the average of `count`. */
export function cpuMicroseconds(work: () => unknown, count: number): number {
  const startedAt = process.cpuUsage();
  for (let index = 0; index < count; index += 1) work();
  const { user, system } = process.cpuUsage(startedAt);
  return (user + system) / count;
}
