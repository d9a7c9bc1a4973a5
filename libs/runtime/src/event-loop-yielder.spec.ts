import { TURN_MS, EventLoopYielder } from './event-loop-yielder';

describe('EventLoopYielder', () => {
  it('yields once its time slice is over, not before', async () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(0);
    let others = 0;
    const yielder = new EventLoopYielder();
    setImmediate(() => (others += 1));
    now.mockReturnValue(TURN_MS - 1);
    await yielder.yieldIfDue();
    expect(others).toBe(0);
    now.mockReturnValue(TURN_MS);
    await yielder.yieldIfDue();
    expect(others).toBe(1);
    now.mockRestore();
  });
});
