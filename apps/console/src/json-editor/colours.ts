import { defaultHighlightStyle, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';

/** A colour that can be read on the page's ground in either scheme. */
const mixed = (colour: unknown) => (typeof colour === 'string' ? `color-mix(in oklab, ${colour} 45%, var(--text))` : undefined);

/** The colours of the page, which change with its scheme. */
export const colours = [
  EditorView.theme({
    '&': { backgroundColor: 'var(--surface)', color: 'var(--text)', fontSize: '0.87rem' },
    '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
    '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
    '.cm-content': { caretColor: 'var(--text)' },
    '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--quiet)', borderColor: 'var(--line)' },
    '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
    '&.cm-focused .cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 7%, transparent)' },
    '&.cm-focused .cm-matchingBracket': { backgroundColor: 'color-mix(in srgb, var(--accent) 25%, transparent)' },
    '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--bad-ground)' },
    '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--text)', borderColor: 'var(--line)' },
    '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)' },
  }),
  syntaxHighlighting(HighlightStyle.define(defaultHighlightStyle.specs.map((spec) => ({ ...spec, color: mixed(spec.color) })))),
];
