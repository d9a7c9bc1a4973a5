import { ApiError } from '../api/client';
import { signIn } from '../api/session';
import { texts } from '../texts';

/**
 * Signs in with the code of one use that the address may have in its fragment, and takes it out of the address and the history.
 * @returns why it did not sign in; undefined if it did, or if there is no code
 */
export async function signInByAddress(): Promise<string | undefined> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  try {
    await signIn({ code });
    return undefined;
  } catch (error) {
    return error instanceof ApiError && error.status !== 401 ? error.message : texts.signIn.code;
  }
}
