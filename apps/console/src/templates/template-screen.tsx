import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Template } from '../api/types';
import { templates as words } from '../screen-texts/templates';
import { texts } from '../texts';
import { ActionBar } from '../ui/action';
import { Facts } from '../ui/facts';
import { Heading } from '../ui/heading';
import { Json } from '../ui/json';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { Time } from '../ui/time';
import { Differences } from './differences';
import { NO_SAMPLES, Preview, usePreview } from './preview';
import { templateQuery } from './queries';
import { Tags } from './tags';
import { Versions } from './versions';

const route = getRouteApi('/templates/$templateId');

/** A template: what it is rendered to, its versions, and its content. The address names version, channel and recipient's language. */
export function TemplateScreen() {
  const { templateId } = route.useParams();
  const { version } = route.useSearch();
  const query = useQuery(templateQuery(templateId, version));
  return (
    <>
      <Heading title={query.data?.name ?? templateId} />
      <Loaded query={query}>
        {(template) => (
          <>
            <ActionBar>
              <Link to="/templates/$templateId/edit" params={{ templateId: template.id }} className="button">
                {words.edit}
              </Link>
            </ActionBar>
            <TemplateFacts template={template} />
            <StoredPreview key={template.id} templateId={template.id} />
            <Versions templateId={template.id} />
            <Differences templateId={template.id} />
            <Section title={words.content}>
              <details>
                <summary>{texts.json}</summary>
                <Json value={template.content} name={words.content} />
              </details>
            </Section>
          </>
        )}
      </Loaded>
    </>
  );
}

function StoredPreview({ templateId }: { templateId: string }) {
  const { version } = route.useSearch();
  const [samples, setSamples] = useState(NO_SAMPLES);
  const query = usePreview({ template: templateId, version }, samples);
  return <Preview query={query} onSamples={setSamples} />;
}

function TemplateFacts({ template }: { template: Template }) {
  const { id, alias, tags, brand, routing, subscription, created, updated } = template;
  return (
    <Facts
      facts={[
        [words.facts.id, id],
        [words.facts.alias, alias],
        [words.facts.tags, tags.length > 0 && <Tags tags={tags} />],
        [
          words.facts.brand,
          brand && (
            <Link to="/brands/$brandId" params={{ brandId: brand.id }}>
              {brand.id}
            </Link>
          ),
        ],
        [
          words.facts.routing,
          routing && (
            <Link to="/routing-strategies/$strategyId" params={{ strategyId: routing.strategy_id }}>
              {routing.strategy_id}
            </Link>
          ),
        ],
        [words.facts.topic, subscription?.topic_id],
        [words.facts.created, <Time at={created} />],
        [words.facts.updated, updated && <Time at={updated} />],
        [
          texts.screens.messages,
          <Link to="/messages" search={{ notification: id }}>
            {words.messages}
          </Link>,
        ],
      ]}
    />
  );
}
