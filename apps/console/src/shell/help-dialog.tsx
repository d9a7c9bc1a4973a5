import { texts } from '../texts';
import { Dialog } from '../ui/dialog';
import dialogStyles from '../ui/dialog.module.css';
import styles from './shell.module.css';
import { useSingleKeys } from './single-keys';

/** The keys, and the switch of the single ones: they disturb who dictates. */
export function HelpDialog({ onClose }: { onClose: () => void }) {
  const [isOn, setIsOn] = useSingleKeys();
  return (
    <Dialog title={texts.keys.title} onClose={onClose}>
      <dl className={styles.rows}>
        {texts.keys.rows.map(([key, what]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label className={styles.switch}>
        <input type="checkbox" checked={isOn} onChange={({ target }) => setIsOn(target.checked)} /> {texts.keys.singleKeys}
      </label>
      <p className={dialogStyles.actions}>
        <button type="button" onClick={onClose}>
          {texts.close}
        </button>
      </p>
    </Dialog>
  );
}
