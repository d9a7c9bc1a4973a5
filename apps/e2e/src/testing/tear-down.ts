import { Teardown } from '@tidings/runtime/teardown';

/** Ends everything that was started, the last first; rejects with the first that did not end well, when all were asked to. */
export async function tearDown(teardown: Teardown): Promise<void> {
  const [fault] = await teardown.run();
  if (fault) throw fault.error;
}

/** Runs a story that names what it starts, and ends that afterwards, however the story ended. */
export async function tornDown<Result>(story: (teardown: Teardown) => Promise<Result>): Promise<Result> {
  const teardown = new Teardown();
  let result: Result;
  try {
    result = await story(teardown);
  } catch (error) {
    await teardown.run(); // the story's error is the one that says why
    throw error;
  }
  await tearDown(teardown);
  return result;
}
