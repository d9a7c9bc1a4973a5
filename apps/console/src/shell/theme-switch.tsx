import { texts } from '../texts';
import styles from './shell.module.css';
import { type Theme, useTheme } from './theme';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

/** The colours: those of the system, light or dark. */
export function ThemeSwitch() {
  const [theme, setTheme] = useTheme();
  return (
    <select
      className={styles.theme}
      aria-label={texts.shell.theme}
      value={theme}
      onChange={({ target }) => setTheme(target.value as Theme)}
    >
      {THEMES.map((one) => (
        <option key={one} value={one}>
          {texts.shell.themes[one]}
        </option>
      ))}
    </select>
  );
}
