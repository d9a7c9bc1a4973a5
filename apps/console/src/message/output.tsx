import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { message as words } from '../screen-texts/message';
import { texts } from '../texts';
import { Loaded } from '../ui/loaded';
import { OutputFrame } from '../ui/output-frame';
import { TextBlock } from '../ui/text-block';
import { Views } from '../ui/views';
import { PART_NAMES, type PartName, renderingsOf } from './fields';
import { type HistoryEvent, partQuery } from './queries';

const route = getRouteApi('/messages/$messageId');

/** What was rendered, by channel and part; the address names both. */
export function Output({ history }: { history: readonly HistoryEvent[] }) {
  const { output, part, images } = route.useSearch();
  const renderings = renderingsOf(history);
  const chosen = Math.min(Math.max(Number(output) || 1, 1), renderings.length);
  const rendering = renderings[chosen - 1];
  const parts = PART_NAMES.filter((name) => rendering?.parts[name] !== undefined);
  const shown = parts.find((name) => name === part) ?? parts[0];
  if (!rendering || !shown) return <p className="quiet">{words.outputNone}</p>;
  const address = rendering.parts[shown]!;
  return (
    <>
      {renderings.length > 1 && (
        <Views
          name={words.rendering}
          field="output"
          current={String(chosen)}
          views={renderings.map(({ name }, index) => [String(index + 1), name] as const)}
        />
      )}
      <Views<PartName>
        name={texts.output.part}
        field="part"
        current={shown}
        views={parts.map((name) => [name, texts.output.parts[name]] as const)}
      />
      {shown === 'html' ? (
        <OutputFrame address={address} withImages={images === 'remote'} />
      ) : (
        <TextPart address={address} name={texts.output.parts[shown]} />
      )}
    </>
  );
}

function TextPart({ address, name }: { address: string; name: string }) {
  const query = useQuery(partQuery(address));
  return <Loaded query={query}>{(text) => <TextBlock text={text} name={name} />}</Loaded>;
}
