import { newMessageId } from './message-id';

it('makes ids that grow within one process', () => {
  const made: string[] = [];
  for (let ms = Date.now(), end = ms + 40; ms < end; ms++) for (let i = 0; i < 150; i++) made.push(newMessageId(ms));

  expect([...made].sort()).toEqual(made);
  expect(new Set(made).size).toBe(made.length);
});
