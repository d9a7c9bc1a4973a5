import { Link } from '@tanstack/react-router';
import { isAddress } from './search';

/** The recipient of a message: a user, or an address that users may have. */
export function RecipientLink({ recipient }: { recipient: string }) {
  if (recipient === '') return null;
  return isAddress(recipient) ? (
    <Link to="/users" search={{ query: recipient }}>
      {recipient}
    </Link>
  ) : (
    <Link to="/users/$userId" params={{ userId: recipient }}>
      {recipient}
    </Link>
  );
}
