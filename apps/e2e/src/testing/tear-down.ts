import { Teardown } from '@tidings/runtime/teardown';

/** Ends all started resources, the last first; after that rejects with the first failure, if any. */
export async function tearDown(teardown: Teardown): Promise<void> {
  const [fault] = await teardown.run();
  if (fault) throw fault.error;
}

/** Runs a scenario and tears down what it registered, whether it passed or failed. */
export async function withTeardown<Result>(scenario: (teardown: Teardown) => Promise<Result>): Promise<Result> {
  const teardown = new Teardown();
  let result: Result;
  try {
    result = await scenario(teardown);
  } catch (error) {
    await teardown.run(); // the scenario's error is the cause
    throw error;
  }
  await tearDown(teardown);
  return result;
}
