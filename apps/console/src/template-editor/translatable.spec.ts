import { localeBody, type Node, textsIn } from './translatable';

const NODES: Node[] = [
  {
    id: 'a',
    type: 'text',
    content: 'Hello',
    locales: { fr: { content: 'Bonjour', align: 'left', checksum: 'x' }, de: { content: 'Hallo' } },
  },
  { id: 'b', type: 'group', elements: [{ id: 'c', type: 'action', content: 'Open', href: '{{url}}' }] },
];

describe('The texts of content', () => {
  it('are those of all nodes, each with what it has in the language', () => {
    const found = textsIn(NODES, 'fr').map(({ nodeId, field, translated }) => [nodeId, field, translated]);
    expect(found).toEqual([
      ['a', 'content', 'Bonjour'],
      ['c', 'content', ''],
      ['c', 'href', ''],
    ]);
  });

  it('are stored with what else a node has in the language; empty ones are removed', () => {
    const given = textsIn(NODES, 'fr').map((text) => ({
      ...text,
      translated: text.nodeId === 'c' && text.field === 'content' ? 'Ouvrir' : '',
    }));
    expect(localeBody(NODES, 'fr', given)).toEqual({
      elements: [
        { id: 'a', align: 'left' },
        { id: 'c', content: 'Ouvrir' },
      ],
    });
  });
});
