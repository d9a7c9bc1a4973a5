import { remembered } from './remembered';

function counted(entriesMax: number) {
  const asked: string[] = [];
  const length = remembered(entriesMax, (text) => {
    asked.push(text);
    return text === '' ? undefined : text.length;
  });
  return { asked, length };
}

it('asks once per text, also where the answer is nothing', () => {
  const { asked, length } = counted(10);

  expect(['ab', '', 'ab', ''].map(length)).toEqual([2, undefined, 2, undefined]);
  expect(asked).toEqual(['ab', '']);
});

it('forgets what was asked for longest ago, and keeps what is in use', () => {
  const { asked, length } = counted(2);

  for (const text of ['used', 'a', 'used', 'b', 'used', 'c', 'used']) length(text);
  expect(asked).toEqual(['used', 'a', 'b', 'c']);
  length('a');
  expect(asked).toEqual(['used', 'a', 'b', 'c', 'a']);
});
