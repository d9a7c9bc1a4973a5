import { ValidateBy } from 'class-validator';

const HTTP_URL_LENGTH_MAX = 2_048;

/** An absolute address of http or https, as `fetch` reads it; it refuses one with a user name or a password in it. */
export function isHttpUrl(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > HTTP_URL_LENGTH_MAX || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

/** What `isHttpUrl` says yes to. */
export function IsHttpUrl(): PropertyDecorator {
  return ValidateBy({
    name: 'isHttpUrl',
    validator: {
      validate: isHttpUrl,
      defaultMessage: () =>
        `$property must be an http or https URL of at most ${HTTP_URL_LENGTH_MAX} characters, without a user name or password in it`,
    },
  });
}
