import { useSyncExternalStore } from 'react';
import { read, store, subscribe } from './stored';

export type Theme = 'system' | 'light' | 'dark';
const NAME = 'tidings.theme';

function stored(): Theme {
  const value = read(NAME);
  return value === 'light' || value === 'dark' ? value : 'system';
}

/** Applies the stored choice of colours to the document; without one those of the system. */
export function applyTheme(): void {
  const theme = stored();
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** The choice, and how to change it. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore(subscribe, stored);
  const setTheme = (chosen: Theme) => {
    store(NAME, chosen);
    applyTheme();
  };
  return [theme, setTheme];
}
