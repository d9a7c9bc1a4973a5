/** What stories happen to: started before the first of them, ended after the last. */
export interface World {
  /** Rejects when anything did not end in order. */
  end(): Promise<void>;
  /** Whatever has become of it. */
  abandon(): Promise<void>;
}

/** Tells a story in a world that is whole. */
export type InWorld<Shared extends World> = <Result>(story: (world: Shared) => Promise<Result>) => Promise<Result>;

/**
 * For the stories of one `describe`, or of a file, which happen one after the other to the same world, since a start takes longer
 * than most of what happens: the first that runs starts it, whichever that is, and after one that failed, or has not ended, the next
 * has a new one. That the world ends in order is looked at after the last.
 */
export function sharedWorld<Shared extends World>(start: () => Promise<Shared>): InWorld<Shared> {
  let whole: Shared | undefined;
  afterAll(() => whole?.end());
  return async (story) => {
    const world = whole ?? (await start());
    whole = undefined;
    try {
      const result = await story(world);
      whole = world;
      return result;
    } catch (error) {
      await world.abandon(); // the story's error is the one that says why
      throw error;
    }
  };
}
