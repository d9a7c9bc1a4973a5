export interface Access {
  name: string;
  url: string;
  key: string;
  accountEmail: string;
}

/** The text after the start: URL, API keys, and a curl command that sends a message. `workspaces` must not be empty. */
export function banner(workspaces: readonly Access[], mailboxUrl: string | undefined): string {
  const [first] = workspaces as [Access];
  return [
    '',
    `  Tidings is ready          ${first.url}`,
    ...workspaces.flatMap(({ name, key, accountEmail }) => [
      `  API key${workspaces.length > 1 ? ` (${name})` : ''}`.padEnd(28) + key,
      `  Account`.padEnd(28) + accountEmail,
    ]),
    mailboxUrl ? `  Mailbox                   ${mailboxUrl}` : `  Mail goes to the server of TIDINGS_SMTP_URL`,
    `  Documentation             ${first.url}/docs`,
    '',
    '  Send your first message:',
    '',
    `  curl -sS ${first.url}/send -H 'Authorization: Bearer ${first.key}' -H 'Content-Type: application/json' \\`,
    `    -d '{"message":{"to":{"email":"ada@example.com"},"content":{"title":"Hello {name}","body":"Your order **{order}** has shipped."},"data":{"name":"Ada","order":"A-17"}}}'`,
    '',
  ].join('\n');
}
