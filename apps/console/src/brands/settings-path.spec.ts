import { problemAt, valueAt, withValueAt } from './settings-path';

it('reads and replaces a value by its path, and keeps the rest in its order', () => {
  const settings = { colors: { primary: '#111', other: 'teal' }, email: { head: { content: 'x' } } };

  const changed = withValueAt(settings, 'colors.primary', '#222');
  const added = withValueAt(changed, 'email.footer.social.medium.url', 'https://example.com');

  expect(JSON.stringify(changed)).toBe('{"colors":{"primary":"#222","other":"teal"},"email":{"head":{"content":"x"}}}');
  expect([valueAt(added, 'email.footer.social.medium.url'), valueAt(added, 'email.header.logo.image')]).toEqual([
    'https://example.com',
    undefined,
  ]);
  expect(settings.colors.primary).toBe('#111');
});

it('removes a value with the objects that are empty without it', () => {
  const settings = { colors: { primary: '#111' }, email: { footer: { markdown: 'a' } } };
  expect(withValueAt(settings, 'email.footer.markdown', undefined)).toEqual({ colors: { primary: '#111' } });
  expect(withValueAt(undefined, 'colors.primary', undefined)).toEqual({});
});

it('finds the part of an error that is about a path', () => {
  const error = new Error('settings.colors.primary must be a color; brand.settings.email.footer.markdown: line 2: wrong');
  expect(problemAt(error, 'colors.primary')).toBe('settings.colors.primary must be a color');
  expect(problemAt(error, 'email.footer.markdown')).toBe('brand.settings.email.footer.markdown: line 2: wrong');
  expect([problemAt(error, 'colors'), problemAt(undefined, 'colors.primary')]).toEqual([undefined, undefined]);
});
