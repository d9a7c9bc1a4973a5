import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { hasScope, useSession } from '../api/session';
import { brands as words } from '../screen-texts/brands';
import { previewQuery } from '../templates/queries';
import { texts } from '../texts';
import { LiveField } from '../ui/live-field';
import { Loaded } from '../ui/loaded';
import { OutputFrame } from '../ui/output-frame';
import { Problem } from '../ui/problem';
import { Section } from '../ui/section';
import { Warnings } from '../ui/warnings';
import type { BrandDraft } from './queries';

const route = getRouteApi('/brands/$brandId');
const PREVIEW_SCOPE = 'read:notifications';

const button = (content: string, style: string) => ({ type: 'action', content, href: 'https://example.com', style });
/** A mail with what a brand changes: a text, a button, a link. */
const SAMPLE = {
  version: '2022-01-01',
  elements: [
    { type: 'meta', title: words.sample.title },
    { type: 'text', content: words.sample.title, text_style: 'h1' },
    { type: 'text', content: words.sample.text },
    button(words.sample.action, 'button'),
    button(words.sample.other, 'link'),
  ],
};

/** A mail in the brand as it is written, which need not be stored: a sample, or a template that the address names. */
export function BrandPreview({ draft }: { draft: BrandDraft }) {
  const { template, images } = route.useSearch();
  const navigate = useNavigate();
  const mayPreview = hasScope(useSession(), PREVIEW_SCOPE);
  const shown = template === undefined ? { content: SAMPLE } : { template };
  const query = useQuery({ ...previewQuery({ ...shown, channel: 'email', brand: draft, data: {}, profile: {} }), enabled: mayPreview });
  const choose = (text: string) =>
    void navigate({
      to: '.',
      replace: true,
      resetScroll: false,
      search: (earlier) => ({ ...earlier, template: text.trim() || undefined }),
    });
  return (
    <Section title={words.preview}>
      {mayPreview ? (
        <>
          <LiveField label={words.template} value={template ?? ''} onSettle={choose} />
          <Loaded query={query}>
            {({ results, errors }) => (
              <>
                {errors.map(({ message }) => (
                  <Problem key={message} error={message} />
                ))}
                {results.map(({ content, warnings }) => (
                  <div key="mail">
                    <Warnings warnings={warnings} />
                    <OutputFrame html={typeof content.html === 'string' ? content.html : ''} withImages={images === 'remote'} />
                  </div>
                ))}
              </>
            )}
          </Loaded>
        </>
      ) : (
        <p className="quiet">{texts.problems.missingScope(PREVIEW_SCOPE)}</p>
      )}
    </Section>
  );
}
