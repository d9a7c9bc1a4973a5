import { pathIn, variableIn } from './remark';

describe('A remark about content', () => {
  it('names the element that it concerns', () => {
    expect(pathIn('content.elements[1].align is none of left, center')).toEqual(['elements', 1, 'align']);
    expect(pathIn('elements[0].elements[12].locales.fr-CA.content: Template line 2: the block is not closed')).toEqual([
      'elements',
      0,
      'elements',
      12,
      'locales',
      'fr-CA',
      'content',
    ]);
    expect(pathIn('notification.content.elements[2].type must be one of text, html')).toEqual(['elements', 2, 'type']);
    expect(pathIn('message.to[3].email must be an address')).toEqual(['message', 'to', 3, 'email']);
    expect(pathIn('The brand would be refused')).toBeUndefined();
  });

  it('names a variable, which is found where the text shows it', () => {
    const text = '"Order of {profile.name}", "{{#if order}}", "Number {{ order }}"';
    expect(variableIn('Variable not found: name', text)).toBeUndefined();
    const found = variableIn('Variable not found: profile.name', text)!;
    expect(text.slice(found.from, found.to)).toBe('{profile.name}');
    expect(variableIn('Another remark', text)).toBeUndefined();
  });
});
