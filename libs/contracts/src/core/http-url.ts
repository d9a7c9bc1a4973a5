import { CheckedBy } from './fields';

const HTTP_URL_LENGTH_MAX = 2_048;

/** Whether a value is an absolute http or https URL that `fetch` accepts; `fetch` refuses user names and passwords in URLs. */
export function isHttpUrl(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > HTTP_URL_LENGTH_MAX || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

/** The value passes `isHttpUrl`. */
export const IsHttpUrl = CheckedBy(
  'isHttpUrl',
  isHttpUrl,
  `must be an http or https URL of at most ${HTTP_URL_LENGTH_MAX} characters, without a user name or password in it`,
);
