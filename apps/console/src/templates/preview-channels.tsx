import { useSearch } from '@tanstack/react-router';
import type { components } from '../api/schema';
import type { PreviewOutput } from '../api/types';
import { PART_NAMES } from '../message/fields';
import { templates as words } from '../screen-texts/templates';
import { texts } from '../texts';
import { Json } from '../ui/json';
import { OutputFrame } from '../ui/output-frame';
import { Problem } from '../ui/problem';
import { TextBlock } from '../ui/text-block';
import { Views } from '../ui/views';
import { Warnings } from '../ui/warnings';

const NAMES = { ...texts.output.parts, payload: words.payload };
type Part = keyof typeof NAMES;

/** The channels that have content, of which the address names one. */
export function PreviewChannels({ preview: { results, errors } }: { preview: components['schemas']['Preview'] }) {
  const { channel } = useSearch({ strict: false });
  const channels = [...results, ...errors].map((one) => one.channel);
  const shown = channels.find((one) => one === channel) ?? channels[0];
  const output = results.find((one) => one.channel === shown);
  const error = errors.find((one) => one.channel === shown);
  if (shown === undefined) return <p className="quiet">{words.nothing}</p>;
  return (
    <>
      <Views name={words.channel} field="channel" current={shown} views={channels.map((one) => [one, one] as const)} />
      {error && <Problem error={error.message} title={words.failed} />}
      {output && <Output key={shown} output={output} />}
    </>
  );
}

function Output({ output: { content, payload, warnings } }: { output: PreviewOutput }) {
  const { part: named, images } = useSearch({ strict: false });
  const found = PART_NAMES.filter((name) => !isEmpty(content[name]));
  const parts: Part[] = payload ? [...found, 'payload'] : found;
  const shown = parts.find((one) => one === named) ?? parts[0];
  return (
    <>
      <Warnings warnings={warnings} />
      {shown && <Views name={texts.output.part} field="part" current={shown} views={parts.map((one) => [one, NAMES[one]] as const)} />}
      {shown && <PartOf name={shown} value={shown === 'payload' ? payload : content[shown]} withImages={images === 'remote'} />}
    </>
  );
}

function PartOf({ name, value, withImages }: { name: Part; value: unknown; withImages: boolean }) {
  if (typeof value !== 'string') return <Json value={value} name={NAMES[name]} />;
  return name === 'html' ? <OutputFrame html={value} withImages={withImages} /> : <TextBlock text={value} name={NAMES[name]} />;
}

function isEmpty(value: unknown) {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}
