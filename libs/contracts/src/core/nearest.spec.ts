import { nearestName } from './nearest';

it.each<[string, string, readonly string[], string | undefined]>([
  ['the only name that begins with the text', 'TIDINGS_SMTP', ['TIDINGS_URL', 'TIDINGS_SMTP_URL'], 'TIDINGS_SMTP_URL'],
  ['it whatever the case', 'brand', ['band', 'Brand_id'], 'Brand_id'],
  ['that with the fewest edits of several that begin with the text', 'name', ['name_of_brand', 'name_x'], 'name_x'],
  ['that with the fewest edits, if none begins with the text', 'brandid', ['name', 'brand_id'], 'brand_id'],
  ['the first of equals', 'ab', ['ax', 'bb'], 'ax'],
  ['none of none', 'a', [], undefined],
])('suggests %s', (_, text, names, nearest) => {
  expect(nearestName(text, names)).toBe(nearest);
});
