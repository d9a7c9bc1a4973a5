import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { hasScope, useSession } from '../api/session';
import { parseObject } from '../json-object';
import { texts } from '../texts';
import { LiveField } from '../ui/live-field';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { PreviewChannels } from './preview-channels';
import { brandsQuery, previewQuery } from './queries';
import styles from './templates.module.css';

const route = getRouteApi('/templates/$templateId');
const { templates: words } = texts;
const CONTEXT = ['locale', 'brand_id', 'tenant_id'] as const;
const SAMPLE_ROWS = 6;

type Samples = Record<'data' | 'profile', Record<string, unknown>>;

/** What the template is rendered to, while its recipient is described. Nothing is stored or sent. */
export function Preview({ templateId }: { templateId: string }) {
  const { version, locale, brand_id, tenant_id } = route.useSearch();
  const [samples, setSamples] = useState<Samples>({ data: {}, profile: {} });
  const query = useQuery(previewQuery({ template: templateId, version, locale, brand_id, tenant_id, ...samples }));
  return (
    <Section title={words.preview}>
      <div className={styles.preview}>
        <div className={styles.fields}>
          <Context />
          <Sample label={words.data} onChange={(data) => setSamples((earlier) => ({ ...earlier, data }))} />
          <Sample label={words.profile} onChange={(profile) => setSamples((earlier) => ({ ...earlier, profile }))} />
          <p className="quiet">{words.sampleHint}</p>
        </div>
        <div className={styles.output}>
          <Loaded query={query}>{(preview) => <PreviewChannels preview={preview} />}</Loaded>
        </div>
      </div>
    </Section>
  );
}

/** Language, brand and tenant, which the address names. */
function Context() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const seesBrands = hasScope(useSession(), 'read:brands');
  const { data: brands } = useQuery({ ...brandsQuery, enabled: seesBrands });
  const choose = (name: (typeof CONTEXT)[number], text: string) =>
    void navigate({ to: '.', replace: true, resetScroll: false, search: (earlier) => ({ ...earlier, [name]: text.trim() || undefined }) });
  return CONTEXT.map((name) => (
    <LiveField
      key={name}
      label={words.fields[name]}
      value={search[name] ?? ''}
      suggestions={name === 'brand_id' ? brands?.map(({ id }) => id) : undefined}
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
