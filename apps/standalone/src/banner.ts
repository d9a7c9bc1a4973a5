/** A workspace and its key. */
export interface Access {
  name: string;
  key: string;
  accountEmail: string;
}

/** The running product. */
export interface Running {
  /** `http://127.0.0.1:8080` */
  url: string;
  /** At least one workspace; `TIDINGS_API_KEY` is the key of the first. */
  access: Access[];
  /** The URL of the mailbox page; absent when mail goes to the server of `TIDINGS_SMTP_URL`. */
  mailboxUrl: string | undefined;
  /** Opens a session of the console once, with the key of the first workspace. */
  consoleCode: string;
  /** Bootstrap brokers; absent without Kafka. */
  brokers?: readonly string[];
}

/** The text after the start: URL, API keys, the console with its code, and a curl command that sends a message. */
export function banner({ url, access, mailboxUrl, consoleCode, brokers }: Running) {
  return [
    '',
    `  Tidings is ready          ${url}`,
    ...access.flatMap(({ name, key, accountEmail }) => [
      `  API key${access.length > 1 ? ` (${name})` : ''}`.padEnd(28) + key,
      `  Account`.padEnd(28) + accountEmail,
    ]),
    mailboxUrl ? `  Mailbox                   ${mailboxUrl}` : `  Mail goes to the server of TIDINGS_SMTP_URL`,
    ...(brokers ? [`  Kafka                     ${brokers.join()}`] : []),
    `  Console                   ${url}/console#code=${consoleCode}`,
    `  Documentation             ${url}/docs`,
    '',
    '  Send your first message:',
    '',
    `  curl -sS ${url}/send -H 'Authorization: Bearer ${access[0]!.key}' -H 'Content-Type: application/json' \\`,
    `    -d '{"message":{"to":{"email":"ada@example.com"},"content":{"title":"Hello {name}","body":"Your order **{order}** has shipped."},"data":{"name":"Ada","order":"A-17"}}}'`,
    '',
  ].join('\n');
}
