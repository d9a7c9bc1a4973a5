import type { ErrorBody } from '../testing/api-client';
import { SharedSystem } from '../testing/shared-system';

interface MessagesPage {
  paging: { cursor?: string; more: boolean };
  results: { id: string }[];
}

/** One more than the messages of a page. */
const MORE_THAN_A_PAGE = 11;

describe('attacks over HTTP', () => {
  let system: SharedSystem;

  beforeAll(async () => {
    system = await SharedSystem.join();
  });

  afterAll(() => system?.leave());

  it('refuses a cursor of /messages in another workspace', async () => {
    const sent = Array.from({ length: MORE_THAN_A_PAGE }, (_, index) => system.client.send(`cursor-${index}@example.com`));
    for (const id of await Promise.all(sent)) await system.client.messageOnce('DELIVERED', id);
    const { body } = await system.client.get<MessagesPage>('/messages');
    const path = `/messages?cursor=${body.paging.cursor}`;

    const foreign = await (await system.otherClient()).get<ErrorBody>(path);
    const own = await system.client.get<MessagesPage>(path);

    expect([foreign.status, foreign.body.message]).toEqual([400, `cursor "${body.paging.cursor}" is not valid`]);
    expect([own.status, own.body.results.length]).toEqual([200, 1]);
  });
});
