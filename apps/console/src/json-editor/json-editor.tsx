import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useMemo, useRef, useState } from 'react';
import { texts } from '../texts';
import { useSettled } from '../ui/settled';
import styles from './json-editor.module.css';
import { type Located, locate } from './locate';
import type { Remark } from './remark';
import { colours } from './colours';

const NONE: readonly Remark[] = [];

interface JsonEditorProps {
  /** The accessible name. */
  label: string;
  /** The text at first; each later one goes to `onChange`. */
  initial: string;
  /** Remarks of the gateway on the text. */
  remarks?: readonly Remark[];
  isReadOnly?: boolean;
  onChange: (text: string) => void;
}

/** A JSON object as text. Remarks are at their lines, and in a list that leads there. Tab leaves it. */
export function JsonEditor({ label, initial, remarks = NONE, isReadOnly = false, onChange }: JsonEditorProps) {
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const [text, setText] = useState(initial);
  const changed = useRef(onChange);
  const settled = useSettled(text);
  const located = useMemo(() => locate(settled, remarks), [settled, remarks]);
  const first = useRef(initial);

  useEffect(() => void (changed.current = onChange));
  useEffect(() => {
    const onUpdate = EditorView.updateListener.of(({ docChanged, state }) => {
      if (!docChanged) return;
      setText(state.doc.toString());
      changed.current(state.doc.toString());
    });
    const extensions = [...EXTENSIONS, ...extensionsOf(label, isReadOnly), onUpdate];
    const created = new EditorView({ parent: parent.current!, state: EditorState.create({ doc: first.current, extensions }) });
    view.current = created;
    return () => created.destroy();
  }, [label, isReadOnly]);
  useEffect(() => {
    const { state } = view.current!;
    const within = (position: number) => Math.min(position, state.doc.length);
    const found = located.filter(({ line }) => line !== undefined);
    const diagnostics = found.map(({ from, to, severity, message }) => ({ from: within(from), to: within(to), severity, message }));
    view.current!.dispatch(setDiagnostics(state, diagnostics));
  }, [located]);

  const goTo = ({ from }: Located) => {
    const editor = view.current!;
    editor.dispatch({ selection: { anchor: Math.min(from, editor.state.doc.length) }, scrollIntoView: true });
    editor.focus();
  };
  return (
    <div className={styles.editor}>
      <div ref={parent} className={styles.text} />
      <Remarks located={located} onOpen={goTo} />
    </div>
  );
}

/** The page's policy allows styles with its nonce alone. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

const EXTENSIONS: readonly Extension[] = [
  EditorView.cspNonce.of(nonce),
  lineNumbers(),
  lintGutter(),
  history(),
  highlightActiveLine(),
  bracketMatching(),
  json(),
  colours,
  EditorView.lineWrapping,
  keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
];

const extensionsOf = (label: string, isReadOnly: boolean): Extension[] => [
  EditorState.readOnly.of(isReadOnly),
  EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': String(isReadOnly), spellcheck: 'false' }),
];

function Remarks({ located, onOpen }: { located: readonly Located[]; onOpen: (remark: Located) => void }) {
  return (
    <div role="status" className={styles.remarks}>
      {located.length > 0 && (
        <ul aria-label={texts.jsonEditor.remarks}>
          {located.map((remark, index) => (
            <li key={index} data-severity={remark.severity}>
              <strong>{texts.jsonEditor.severities[remark.severity]}</strong>{' '}
              {remark.line !== undefined && (
                <button type="button" className={styles.line} onClick={() => onOpen(remark)}>
                  {texts.line(remark.line)}
                </button>
              )}{' '}
              {remark.message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
