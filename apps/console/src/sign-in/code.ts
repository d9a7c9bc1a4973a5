import { ApiError } from '../api/client';
import { signIn } from '../api/session';
import { signIn as words } from '../screen-texts/sign-in';

const { refused } = words;

/**
 * Signs in with the code of one use that the address may have in its fragment, or reads there why another sign-in was refused, and takes it
 * out of the address and the history.
 * @returns why no one was signed in; undefined if one was, or if the address has neither
 */
export async function signInByAddress(): Promise<string | undefined> {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const [code, reason] = [fragment.get('code'), fragment.get('refused')];
  if (code === null && reason === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  if (code === null) return refused[reason as keyof typeof refused] ?? refused.invalid;
  try {
    await signIn({ code });
    return undefined;
  } catch (error) {
    return error instanceof ApiError && error.status !== 401 ? error.message : words.code;
  }
}
