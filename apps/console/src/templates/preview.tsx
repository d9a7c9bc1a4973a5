import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type Dispatch, type SetStateAction, useEffect, useState } from 'react';
import { useBrandIds } from '../brands/use-brand-ids';
import { parseObject } from '../json-object';
import { templates as words } from '../screen-texts/templates';
import { LiveField } from '../ui/live-field';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { PreviewChannels } from './preview-channels';
import { type PreviewInput, previewQuery, type PreviewSource } from './queries';
import styles from './templates.module.css';

const CONTEXT = ['locale', 'brand_id', 'tenant_id'] as const;
const SAMPLE_ROWS = 6;

/** Data and profile that a preview is rendered with. */
export type Samples = Record<'data' | 'profile', Record<string, unknown>>;
export const NO_SAMPLES: Samples = { data: {}, profile: {} };

/** A template rendered for the recipient that the address and the samples describe. Previews run one after another, the newest last. */
export function usePreview(source: PreviewSource, samples: Samples) {
  const { locale, brand_id, tenant_id } = useSearch({ strict: false });
  const wanted = JSON.stringify({ ...source, locale, brand_id, tenant_id, ...samples });
  const [current, setCurrent] = useState(wanted);
  const query = useQuery(previewQuery(JSON.parse(current) as PreviewInput));
  useEffect(() => {
    if (!query.isFetching) setCurrent(wanted);
  }, [query.isFetching, wanted]);
  return query;
}

interface PreviewProps {
  query: ReturnType<typeof usePreview>;
  onSamples: Dispatch<SetStateAction<Samples>>;
}

/** What the template is rendered to, while its recipient is described. Nothing is stored or sent. */
export function Preview({ query, onSamples }: PreviewProps) {
  return (
    <Section title={words.preview}>
      <div className={styles.previewed}>
        <div className={styles.preview}>
          <div className={styles.fields}>
            <Context />
            <Sample label={words.data} onChange={(data) => onSamples((earlier) => ({ ...earlier, data }))} />
            <Sample label={words.profile} onChange={(profile) => onSamples((earlier) => ({ ...earlier, profile }))} />
            <p className="quiet">{words.sampleHint}</p>
          </div>
          <div className={styles.output}>
            <Loaded query={query}>{(preview) => <PreviewChannels preview={preview} />}</Loaded>
          </div>
        </div>
      </div>
    </Section>
  );
}

/** Language, brand and tenant, which the address names. */
function Context() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const brandIds = useBrandIds();
  const choose = (name: (typeof CONTEXT)[number], text: string) =>
    void navigate({ to: '.', replace: true, resetScroll: false, search: (earlier) => ({ ...earlier, [name]: text.trim() || undefined }) });
  return CONTEXT.map((name) => (
    <LiveField
      key={name}
      label={words.fields[name]}
      value={search[name] ?? ''}
      suggestions={name === 'brand_id' ? brandIds : undefined}
      onSettle={(text) => choose(name, text)}
    />
  ));
}

/** An object as JSON; one that cannot be read changes nothing. */
function Sample({ label, onChange }: { label: string; onChange: (value: Record<string, unknown>) => void }) {
  const [problem, setProblem] = useState<string>();
  const settle = (text: string) => {
    const parsed = parseObject(text.trim() || '{}');
    setProblem('problem' in parsed ? parsed.problem : undefined);
    if ('value' in parsed) onChange(parsed.value);
  };
  return <LiveField label={label} value="{}" problem={problem} rows={SAMPLE_ROWS} onSettle={settle} />;
}
