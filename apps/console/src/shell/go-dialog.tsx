import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { texts } from '../texts';
import { Dialog } from '../ui/dialog';
import { SCREENS } from './navigation';
import styles from './shell.module.css';

/** Leads to a screen by its name, and to what the typed text finds. Enter follows the first link. */
export function GoDialog({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const navigate = useNavigate();
  const query = typed.trim();
  const screens = SCREENS.filter(([, name]) => name.toLowerCase().includes(query.toLowerCase()));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onClose();
    const [screen] = screens;
    void (screen ? navigate({ to: screen[0] }) : navigate({ to: '/messages', search: { query } }));
  };
  return (
    <Dialog title={texts.go.title} onClose={onClose}>
      <form onSubmit={submit}>
        <input
          type="search"
          aria-label={texts.go.field}
          placeholder={texts.go.field}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </form>
      <ul className={styles.results} aria-label={texts.go.results}>
        {screens.map(([to, name]) => (
          <li key={to}>
            <Link to={to} onClick={onClose}>
              {name}
            </Link>
          </li>
        ))}
        {query !== '' && (
          <>
            <li>
              <Link to="/messages" search={{ query }} onClick={onClose}>
                {texts.go.toMessages(query)}
              </Link>
            </li>
            <li>
              <Link to="/users" search={{ query }} onClick={onClose}>
                {texts.go.toUsers(query)}
              </Link>
            </li>
          </>
        )}
      </ul>
    </Dialog>
  );
}
