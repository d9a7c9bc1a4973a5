import { parseSearch, writeSearch } from '../search-params';
import { filterOf, listQuery, messagesSearch } from './message-filter';

const search = (text: string) => messagesSearch(parseSearch(text));

describe('The address of the messages', () => {
  it('has filters as texts, also those that look like numbers, and drops what it does not know', () => {
    expect(search('?recipient=007&status=UNROUTABLE&other=x&event=')).toEqual({ recipient: '007', status: 'UNROUTABLE' });
  });

  it('survives being written and read again', () => {
    const filters = { query: 'a&b=c', status: 'SENT,DELIVERED', tags: 'ü,ö' };
    expect(search(writeSearch({ ...filters, cursor: undefined }))).toEqual(filters);
  });

  it('becomes the query of the interface, without what is of the page alone', () => {
    const found = search('?query=x&cursor=c&since=1&status=SENT,OPENED&archived=true&list=a');
    expect(listQuery(filterOf(found), found.cursor)).toMatchObject({ status: ['SENT', 'OPENED'], archived: true, list: 'a', cursor: 'c' });
    expect(listQuery(filterOf(found))).not.toHaveProperty('query');
  });
});
