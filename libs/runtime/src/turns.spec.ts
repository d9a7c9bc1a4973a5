import { TURN_MS, Turns } from './turns';

describe('a loop with turns', () => {
  it('gives way once its turn is over, and not before', async () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(0);
    let others = 0;
    const turns = new Turns();
    setImmediate(() => (others += 1));
    now.mockReturnValue(TURN_MS - 1);
    await turns.giveWay();
    expect(others).toBe(0);
    now.mockReturnValue(TURN_MS);
    await turns.giveWay();
    expect(others).toBe(1);
    now.mockRestore();
  });
});
