import { docsIndex, resourcePage } from './docs-page';
import { referenceOf } from './reference';

const EVIL = `"'><script>alert(1)</script>&`;

it('escapes all texts of a document', () => {
  const schema = { type: 'object', properties: { [EVIL]: { enum: [EVIL], type: 'string' } }, required: [EVIL] };
  const reference = referenceOf({
    info: { title: EVIL, version: EVIL },
    paths: {
      [`/${EVIL}`]: {
        post: {
          operationId: EVIL,
          summary: EVIL,
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
        put: { operationId: 'x', requestBody: { content: { 'application/json': { schema: { const: "it's" } } } }, responses: { 204: {} } },
      },
    },
    components: { schemas: {} },
  });

  expect(resourcePage('x', reference)).toContain('-d &#39;&quot;it&#39;\\&#39;&#39;s&quot;&#39;');
});
