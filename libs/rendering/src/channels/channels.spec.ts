import type { ElementalNode } from '@tidings/contracts/content/elemental';
import { render, type RenderInput } from '../render';
import { POST_CHARS_MAX, POSTS_MAX } from './discord';
import { SLACK_BLOCKS_MAX } from './slack';

function outputOf(elements: ElementalNode[], channel: string, provider?: string, scope: RenderInput['scope'] = {}) {
  const rendered = render({ content: { elements }, channel, provider, scope });
  if (!rendered) throw new Error('nothing was rendered');
  return { output: rendered.output, warnings: rendered.warnings };
}

function directMessageOf(elements: ElementalNode[], provider: string, scope?: RenderInput['scope']) {
  const { output, warnings } = outputOf(elements, 'direct_message', provider, scope);
  if (output.kind !== 'direct_message') throw new Error(`it is ${output.kind}`);
  return { ...output.directMessage, warnings };
}

const text = (content: string): ElementalNode => ({ type: 'text', content });

describe('Slack', () => {
  it('does not mention, link or format through a value', () => {
    const { blocks } = directMessageOf([text('Hi {x}')], 'slack', { data: { x: '<!channel> <@U1> <http://a|b> & co' } });
    expect(blocks).toEqual([
      { type: 'section', text: { type: 'mrkdwn', text: 'Hi &lt;!channel&gt; &lt;@U1&gt; &lt;http://a|b&gt; &amp; co' } },
    ]);
  });

  it('joins consecutive buttons into one row', () => {
    const action = (content: string, style?: string): ElementalNode => ({ type: 'action', content, href: 'https://a.example', style });
    const { blocks } = directMessageOf([action('A'), action('B', 'secondary'), text('x'), action('C', 'link')], 'slack');
    expect(blocks?.map(({ type }) => type)).toEqual(['actions', 'section', 'section']);
    expect(blocks?.[0]?.elements).toHaveLength(2);
  });

  it('gets content within its limits, and the author a warning', () => {
    const many = directMessageOf(
      Array.from({ length: SLACK_BLOCKS_MAX + 2 }, (_, i) => text(String(i))),
      'slack',
    );
    expect(many.blocks).toHaveLength(SLACK_BLOCKS_MAX);
    expect(many.warnings).toEqual(['Slack shows 50 blocks, 2 were left out']);
    const long = directMessageOf([text('word '.repeat(1_500))], 'slack').blocks as { text: { text: string } }[];
    expect(long.map(({ text: { text: part } }) => part.length <= 3_000)).toEqual([true, true, true]);
  });
});

describe('Discord', () => {
  it('gets posts within its limit, broken between words and never within a character', () => {
    const { posts = [] } = directMessageOf([text('word '.repeat(900)), text('😀'.repeat(1_500))], 'discord');
    expect(posts.length).toBeGreaterThan(3);
    expect(posts.every((post) => post.length <= POST_CHARS_MAX && post.isWellFormed())).toBe(true);
    expect(posts.join('').replace(/\s/g, '')).toBe('word'.repeat(900) + '😀'.repeat(1_500));
  });

  it('gets a bounded number of posts, and the author a warning', () => {
    const { posts, warnings } = directMessageOf([text('x'.repeat(POST_CHARS_MAX * POSTS_MAX + 5))], 'discord');
    expect(posts).toHaveLength(POSTS_MAX);
    expect(warnings[0]).toContain('5 characters were left out');
  });

  it('formats Markdown of the text, not of a value', () => {
    const { posts } = directMessageOf([text('**{x}** `{x}`')], 'discord', { data: { x: '*a* [b](c) <@1>' } });
    expect(posts).toEqual(['**\\*a\\* \\[b\\](c) \\<@1\\>** `*a* [b](c) <@1>`']);
  });
});

describe('Teams', () => {
  it('gets an Adaptive Card', () => {
    const { card } = directMessageOf(
      [
        { type: 'text', content: 'Title', text_style: 'h1' },
        {
          type: 'columns',
          elements: [
            { type: 'column', elements: [text('l')] },
            { type: 'column', elements: [text('r')] },
          ],
        },
        { type: 'action', content: 'Go', href: 'https://a.example' },
      ],
      'msteams',
    );
    expect(card).toMatchObject({
      type: 'AdaptiveCard',
      body: [
        { type: 'TextBlock', text: 'Title', size: 'extraLarge' },
        { type: 'ColumnSet', columns: [{ items: [{ text: 'l' }] }, { items: [{ text: 'r' }] }] },
        { type: 'ActionSet', actions: [{ type: 'Action.OpenUrl', url: 'https://a.example' }] },
      ],
    });
  });
});

describe('Teams, which supports no code,', () => {
  it('formats no Markdown of a value in any context', () => {
    const x = '*a* [b](c)';
    const { card } = directMessageOf([text('**{x}** `{x}`'), text('```\n{x}\n```')], 'msteams', { data: { x } });
    const literal = '\\*a\\* \\[b\\](c)';
    expect(card).toMatchObject({ body: [{ text: `**${literal}** ${literal}` }, { text: literal }] });
  });
});

describe('an app', () => {
  it('gets its own address schemes, and none that a browser would run', () => {
    const actions = ['shop://order/1', 'javascript://x%0aalert(1)', 'intent://x', 'https://a.example'].map((href): ElementalNode => ({
      type: 'action',
      content: 'Go',
      href,
    }));
    const { output } = outputOf(actions, 'inbox');
    expect(output).toMatchObject({
      inbox: { actions: [{ href: 'shop://order/1' }, { href: '#' }, { href: '#' }, { href: 'https://a.example' }] },
    });
    expect(outputOf(actions.slice(1), 'push').output).toMatchObject({ push: { data: { clickAction: 'https://a.example' } } });
    expect(outputOf(actions.slice(0, 1), 'sms').output).toEqual({ kind: 'sms', sms: { text: 'Go' } });
  });

  it('gets the message’s data with a push', () => {
    const { output } = outputOf([{ type: 'meta', title: 'T\nU' }, text('**b**')], 'push', undefined, { data: { order: { id: 1 } } });
    expect(output).toEqual({ kind: 'push', push: { title: 'T U', body: 'b', data: { order: { id: 1 } } } });
  });
});
