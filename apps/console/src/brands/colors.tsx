import type { Brand } from '../api/types';
import styles from './brands.module.css';

/** The colours of a brand, each with its value. */
export function Colors({ settings }: Pick<Brand, 'settings'>) {
  const colors = Object.entries(settings.colors ?? {}).filter(
    (one): one is [string, string] => typeof one[1] === 'string' && one[1] !== '',
  );
  return colors.map(([name, color]) => (
    <span key={name} className={styles.color} title={name}>
      <Swatch color={color} /> {color}
    </span>
  ));
}

/** A colour to look at; a text that is none shows nothing. */
export function Swatch({ color }: { color: string }) {
  return <span aria-hidden="true" className={styles.swatch} style={{ backgroundColor: color }} />;
}
