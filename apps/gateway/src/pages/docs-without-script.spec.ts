import { docsWithoutScript } from './docs-without-script';

const EVIL = `"'><script>alert(1)</script>&`;

it('escapes all texts of a document', () => {
  const html = docsWithoutScript({ paths: { [`/${EVIL}`]: { post: { operationId: EVIL, summary: EVIL, responses: {} } } } });

  expect(html).toContain('&lt;script&gt;');
  expect(html).not.toMatch(/<script|"'>/);
});
