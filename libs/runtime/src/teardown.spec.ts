import { Teardown } from './teardown';

describe('Teardown', () => {
  it('stops the last part first, and each part once', async () => {
    const stopped: string[] = [];
    const teardown = new Teardown();
    for (const name of ['one', 'two', 'three']) teardown.add(name, () => void stopped.push(name));

    await Promise.all([teardown.run(), teardown.run()]);
    await teardown.run();

    expect(stopped).toEqual(['three', 'two', 'one']);
  });

  it('continues after a part that fails, and returns the fault', async () => {
    const stopped: string[] = [];
    const teardown = new Teardown();
    teardown.add('one', () => void stopped.push('one'));
    teardown.add('two', () => Promise.reject(new Error('no')));

    await expect(teardown.run()).resolves.toEqual([{ name: 'two', error: new Error('no') }]);

    expect(stopped).toEqual(['one']);
  });

  it('stops a part that was added while others stopped, and one that was added afterwards', async () => {
    const stopped: string[] = [];
    const teardown = new Teardown();
    teardown.add('early', () => teardown.add('during', () => void stopped.push('during')));
    await teardown.run();
    teardown.add('late', () => void stopped.push('late'));

    await teardown.run();

    expect(stopped).toEqual(['during', 'late']);
  });
});
