/** Number of stored users; sends go to them round-robin. */
export const USERS = 1_000;

/** About 1 KB of JSON with everything around it. */
const BODY = [
  'Hello {name}, thank you for your order **{order}**. It left our warehouse this morning and will reach you today.',
  'The parcel holds everything you asked for; nothing was left behind. Our carrier will ring twice, and when nobody opens the parcel ' +
    'waits for seven days at the nearest station. You can follow every step of its journey with the number above, and change the day ' +
    'or the place of the delivery until the evening before. If anything is not as it should be, answer this mail: a person reads it, ' +
    'and what was broken on the way is replaced without further questions. We hope to see you again, and wish you a pleasant week.',
  'With kind regards from all of us who packed, labelled, weighed and carried it.',
].join('\n\n');

/** The same text as a finished mail, for floors that render nothing. */
export const MAIL_TEXT = BODY.replaceAll('\n', '\r\n').replace('{name}', 'Ada').replace('**{order}**', 'A-17');
export const MAIL_HTML = `<!doctype html><html><body>\r\n<p>${MAIL_TEXT.replaceAll('\r\n\r\n', '</p>\r\n<p>')}</p>\r\n</body></html>`;

/** Mark in the title of a send by which the sink identifies its mail. */
export const markOf = (run: number, number: number): string => `#${run}-${number}#`;

export const userId = (number: number): string => `bench-user-${number % USERS}`;

export interface SendRequestOptions {
  /** The send contains the address; otherwise it names a stored user. */
  inline: boolean;
  /** Id of a template with `TEMPLATE`; absent: the send contains the content. */
  template?: string;
}

/** Body of the `POST /send` with this number in a run. */
export function sendBody(run: number, number: number, { inline, template }: SendRequestOptions): string {
  const to = inline ? { email: `user-${number % USERS}@example.com` } : { user_id: userId(number) };
  const data = { order: `A-${number}`, name: 'Ada' };
  const mark = markOf(run, number);
  const message = template ? { to, template, data: { ...data, mark } } : { to, content: { title: titleOf(mark), body: BODY }, data };
  return JSON.stringify({ message });
}

const titleOf = (mark: string): string => `Your order has been sent ${mark}`;

/** Body of the `POST /notifications` that stores the same content as a published template. */
export const TEMPLATE = {
  notification: {
    name: 'Order',
    tags: [],
    brand: null,
    subscription: null,
    routing: null,
    content: {
      version: '2022-01-01',
      elements: [
        { type: 'meta', title: titleOf('{mark}') },
        { type: 'text', content: BODY },
      ],
    },
  },
  state: 'PUBLISHED',
};

/** Profile of a user before the sends start, with the fields of `more`. */
export function profileBody(number: number, more: Record<string, string> = {}): string {
  const profile = {
    email: `user-${number}@example.com`,
    name: `Ada Number ${number}`,
    locale: 'en-GB',
    plan: 'standard',
    city: 'London',
    visits: number,
    ...more,
  };
  return JSON.stringify({ profile });
}

/** The text of a complete HTTP request. @param headers further lines, each with its end. */
export function httpRequest(method: string, path: string, host: string, key: string, body: string, headers = ''): string {
  return (
    `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n${headers}` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
