import { locate } from './locate';

const TEXT = JSON.stringify(
  {
    version: '2022-01-01',
    elements: [
      { type: 'text', content: 'Hello {name}' },
      { type: 'text', align: 'middle', content: 'x' },
    ],
  },
  null,
  2,
);

const linesOf = (text: string, messages: string[]): (number | undefined)[] =>
  locate(
    text,
    messages.map((message) => ({ severity: 'warning', message })),
  ).map(({ line }) => line);

describe('Remarks on a JSON text', () => {
  it('are at the line of the element, the field or the variable that they name', () => {
    const lines = TEXT.split('\n');
    const messages = [
      'content.elements[1].align is none of left, center',
      'content.elements[1].href is missing',
      'Variable not found: name',
      'The brand does not exist',
    ];
    const [align, missing, variable, general] = linesOf(TEXT, messages);
    expect(lines[align! - 1]).toContain('"align": "middle"');
    expect(lines[missing!]).toContain('"type": "text"');
    expect(missing).toBe(align! - 2);
    expect(lines[variable! - 1]).toContain('Hello {name}');
    expect(general).toBeUndefined();
  });

  it('are the mistake alone where the text is no JSON, at its line', () => {
    const found = locate(`{\n  "elements": [\n    {"type": }\n  ]\n}`, [{ severity: 'warning', message: 'elements[0].x is unknown' }]);
    expect(found).toEqual([expect.objectContaining({ severity: 'error', line: 3 })]);
    expect(locate('[]', [])).toEqual([
      expect.objectContaining({ severity: 'error', message: expect.stringContaining('no JSON object') as string }),
    ]);
  });
});
