import { TURN_MS, EventLoopYielder } from './event-loop-yielder';

describe('a loop with turns', () => {
  it('gives way once its turn is over, and not before', async () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(0);
    let others = 0;
    const turns = new EventLoopYielder();
    setImmediate(() => (others += 1));
    now.mockReturnValue(TURN_MS - 1);
    await turns.yieldIfDue();
    expect(others).toBe(0);
    now.mockReturnValue(TURN_MS);
    await turns.yieldIfDue();
    expect(others).toBe(1);
    now.mockRestore();
  });
});
