import { useEffect, useSyncExternalStore } from 'react';
import { read, store, subscribe } from './stored';

const NAME = 'tidings.single-keys';
const isOn = () => read(NAME) !== 'off';

/** Whether single keys do something, and how to switch them. */
export function useSingleKeys(): [boolean, (on: boolean) => void] {
  return [useSyncExternalStore(subscribe, isOn), (on) => store(NAME, on ? 'on' : 'off')];
}

/** Whether a key belongs to the field in which it is typed. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable], [role="listbox"], dialog') !== null;
}

/** Moves the focus to the first link of the row `step` rows further. */
function moveRow(step: number) {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const current = rows.findIndex((row) => row.contains(document.activeElement));
  const next = current < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, current + step));
  rows[next]?.querySelector<HTMLElement>('a')?.focus();
}

/** The keys of every page: `/`, `j`, `k`, `?`, and Ctrl K, which also works in fields. */
export function usePageKeys({ onHelp, onGo }: { onHelp: () => void; onGo: () => void }): void {
  useEffect(() => {
    const single: Readonly<Record<string, () => void>> = {
      '/': () => document.querySelector<HTMLElement>('main input[type="search"]')?.focus(),
      j: () => moveRow(1),
      k: () => moveRow(-1),
      '?': onHelp,
    };
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event;
      const isGo = (ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k';
      const act = isGo ? onGo : ctrlKey || metaKey || altKey || !isOn() || isTyping(event.target) ? undefined : single[key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [onHelp, onGo]);
}
