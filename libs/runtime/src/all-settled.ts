/** Like `Promise.all`, but settles after the last job: no job is still running when one has failed. */
export async function allSettled<Jobs extends readonly unknown[] | []>(jobs: Jobs) {
  await Promise.allSettled(jobs);
  return Promise.all(jobs);
}
