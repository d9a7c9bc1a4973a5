/** Texts of the sign-in. */
export const signIn = {
  title: 'Sign in',
  key: 'API key',
  action: 'Sign in',
  busy: 'Signing in …',
  hint: 'An API key of the workspace, or the key of an operator. The console stores it nowhere.',
  where: 'npm start prints a key, and stores it in .tidings/api-key.',
  empty: 'Enter an API key.',
  code: 'The link was used already, or is too old. Sign in with an API key, or restart Tidings for a new link.',
  wrong: 'This API key is not valid here. Check that it is complete, and that it was not revoked.',
  with: (label: string): string => `Sign in with ${label}`,
  or: 'or with a key',
  refused: {
    denied: 'The sign-in was canceled, or you were refused. Try again, or ask the administrator of your account.',
    expired: 'This sign-in took longer than ten minutes, was used already, or began in another tab or at another address. Sign in again.',
    group: 'None of your groups may use this console. Ask the administrator for a role.',
    workspace: 'The workspace of your role does not exist. Report this to the administrator.',
    unreachable: 'The server that knows your account does not answer. Try again in a moment; the log of the gateway says more.',
    invalid: 'The server that knows your account gave an answer that is not accepted. Try again; the log of the gateway says more.',
    busy: 'The sign-in is not possible right now. Try again in a moment.',
    off: 'Only keys sign in here: no other sign-in is configured.',
  },
} as const;
