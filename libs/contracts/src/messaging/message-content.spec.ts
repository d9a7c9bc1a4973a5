import { acceptedContent } from './message-content';

it('names the invalid fields of content', () => {
  expect(() => acceptedContent({ title: 7, body: 'x' }, 'message.content')).toThrow('message.content.title must be a string');
});

it('passes on an error that is no refusal', () => {
  let reads = 0;
  const content = {
    // Both passes of the validation fail; the check for the error message would succeed.
    get title() {
      reads += 1;
      if (reads <= 2) throw new TypeError('a defect');
      return 'x';
    },
    body: 'x',
  };

  expect(() => acceptedContent(content, 'message.content')).toThrow(TypeError);
});
