import { getRouteApi } from '@tanstack/react-router';
import { apiReference as words } from '../screen-texts/api-reference';
import { CopyButton } from '../ui/copy-button';
import { Section } from '../ui/section';
import { TextBlock } from '../ui/text-block';
import { Views } from '../ui/views';
import type { Operation } from './openapi';

const route = getRouteApi('/api-reference/$operation');
/** The address of the gateway in the examples of its document. */
const EXAMPLE_BASE_URL = 'http://127.0.0.1:8080';

/** The call of an operation in each language, with the address of this gateway. */
export function CodeExample({ operation: { samples } }: { operation: Operation }) {
  const { code } = route.useSearch();
  const shown = samples.find(({ label }) => label === code) ?? samples[0];
  if (!shown) return null;
  const source = shown.source.replaceAll(EXAMPLE_BASE_URL, location.origin);
  return (
    <Section title={words.code} actions={<CopyButton key={shown.label} text={source} />}>
      <Views name={words.languages} field="code" current={shown.label} views={samples.map(({ label }) => [label, label] as const)} />
      <TextBlock text={source} name={shown.label} />
      <p className="quiet">{words.codeHint}</p>
    </Section>
  );
}
