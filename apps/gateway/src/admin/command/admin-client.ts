/** Upper bound of the pages of one listing, far above the size of any installation. */
const PAGES_MAX = 10_000;
const PAGE_LIMIT = 100;
/** Longer than the deadlines of the operations that answer a request one after the other. */
const ANSWER_MS_MAX = 45_000;

/** A refusal of the gateway, or a failed request; the message is for the operator. */
export class AdminError extends Error {}

interface Page<Item> {
  paging: { more: boolean; cursor?: string };
  results: Item[];
}

/** Client of the operators' interface of a gateway. */
export class AdminClient {
  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {}

  /** The answer of `/admin<path>`; `undefined` when it is empty. @throws AdminError */
  async request<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(`${this.url}/admin${path}`, {
        method,
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
        redirect: 'error', // the credential is sent to no other host
        headers: { authorization: `Bearer ${this.key}`, ...(body && { 'content-type': 'application/json' }) },
        body: body && JSON.stringify(body),
      });
      text = await answer.text();
    } catch (error) {
      const { cause } = error as Error;
      throw new AdminError(
        `No gateway answers at ${this.url}: ${cause instanceof Error && cause.message ? cause.message : (error as Error).message}`,
      );
    }
    if (answer.status === 401)
      throw new AdminError(
        `TIDINGS_ADMIN_KEY is not the one that the gateway at ${this.url} was started with, nor one of its TIDINGS_ADMIN_KEYS`,
      );
    if (!answer.ok) throw new AdminError(messageOf(text) ?? `The gateway at ${this.url} answered with status ${answer.status}`);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }

  /** All items of a listing. @param filter further fields of the query; those that are undefined are left out. */
  async items<Item>(path: string, filter: Readonly<Record<string, string | undefined>> = {}) {
    const filters = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const items: Item[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const query = new URLSearchParams({
        ...Object.fromEntries(filters),
        limit: String(PAGE_LIMIT),
        ...(cursor !== undefined && { cursor }),
      });
      const { results, paging } = await this.request<Page<Item>>('GET', `${path}?${query.toString()}`);
      items.push(...results);
      if (!paging.more) return items;
      cursor = paging.cursor;
    }
    throw new AdminError(`There are more than ${PAGES_MAX * PAGE_LIMIT} entries; the list is incomplete`);
  }
}

function messageOf(text: string) {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}
