/** A system that tests share: started by the first of them, ended after the last. */
export interface Fixture {
  /** Rejects when a resource did not end in order. */
  end(): Promise<void>;
  /** Ends a system in an unknown state, without errors. */
  abandon(): Promise<void>;
}

/** Runs a scenario on an intact system. */
export type WithFixture<Shared extends Fixture> = <Result>(scenario: (fixture: Shared) => Promise<Result>) => Promise<Result>;

/**
 * Shares a system among the scenarios of one `describe` or file, which run one after the other, since a start takes longer than
 * most scenarios. The first one starts it; after a failed or unfinished scenario the next one starts a new system. An orderly end
 * is checked after the last.
 */
export function sharedFixture<Shared extends Fixture>(start: () => Promise<Shared>): WithFixture<Shared> {
  let intact: Shared | undefined;
  afterAll(() => intact?.end());
  return async (scenario) => {
    const fixture = intact ?? (await start());
    intact = undefined;
    try {
      const result = await scenario(fixture);
      intact = fixture;
      return result;
    } catch (error) {
      await fixture.abandon(); // the scenario's error is the cause
      throw error;
    }
  };
}
