import { docsIndex, resourcePage } from './docs-page';
import { referenceOf } from './reference';

const EVIL = `"'><script>alert(1)</script>&`;

it('escapes all texts of a document', () => {
  const property = { enum: [EVIL], type: 'string', description: EVIL };
  const schema = { type: 'object', properties: { [EVIL]: property }, required: [EVIL] };
  const reference = referenceOf({
    info: { title: EVIL, version: EVIL },
    paths: {
      [`/${EVIL}`]: {
        post: {
          operationId: EVIL,
          summary: EVIL,
          description: EVIL,
          'x-scope': EVIL,
          parameters: [
            { name: EVIL, in: 'query', required: true, schema: { type: 'string', format: EVIL, default: EVIL } },
            { name: EVIL, in: 'header', description: EVIL, schema: {} },
          ],
          requestBody: { content: { 'application/json': { schema } } },
          responses: { 200: { content: { 'application/json': { schema: { $ref: `#/components/schemas/${EVIL}` } } } } },
        },
      },
    },
    components: { schemas: { [EVIL.slice(EVIL.lastIndexOf('/') + 1)]: schema } },
  });
  const [resource] = [...reference.resources.keys()];

  for (const html of [docsIndex(reference), resourcePage(resource!, reference)!]) {
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toMatch(/<script|"'>/);
  }
});

it('quotes an example for the shell', () => {
  const reference = referenceOf({
    info: { title: 'T', version: '1' },
    paths: {
      '/x': {
        put: {
          operationId: 'x',
          requestBody: { content: { 'application/json': { schema: {}, example: "it's" } } },
          responses: { 204: {} },
        },
      },
    },
    components: { schemas: {} },
  });

  expect(resourcePage('x', reference)).toContain('-d &#39;&quot;it&#39;\\&#39;&#39;s&quot;&#39;');
});

it('shows descriptions, with their code', () => {
  const properties = { to: { type: 'string', description: 'An address, `a@example.com`.' } };
  const parameters = [{ name: 'cursor', in: 'query', description: 'Where the page begins.', schema: { type: 'string' } }];
  const requestBody = { content: { 'application/json': { schema: { type: 'object', properties } } } };
  const reference = referenceOf({
    info: { title: 'T', version: '1' },
    paths: { '/x': { put: { operationId: 'x', description: 'Sends it.', parameters, requestBody, responses: { 204: {} } } } },
    components: { schemas: {} },
  });

  const html = resourcePage('x', reference)!;
  for (const text of ['Sends it.', 'Where the page begins.', 'An address, <code>a@example.com</code>.']) expect(html).toContain(text);
});
