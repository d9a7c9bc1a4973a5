import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMissingScope } from '../api/session';
import type { RoutingStrategy } from '../api/types';
import { routingStrategies as words } from '../screen-texts/routing-strategies';
import { Action, ActionBar } from '../ui/action';
import { ConfirmDialog } from '../ui/confirm-dialog';
import { Facts } from '../ui/facts';
import { Heading } from '../ui/heading';
import { JsonForm } from '../ui/json-form';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { Time } from '../ui/time';
import { LinkedTemplates } from './linked-templates';
import { archiveStrategy, replaceStrategy, type StrategyFields, strategyQuery } from './queries';
import { RoutingTree } from './routing-tree';

const route = getRouteApi('/routing-strategies/$strategyId');

/** A routing strategy: its tree in words, the templates that use it, and all of it as JSON. */
export function StrategyScreen() {
  const { strategyId } = route.useParams();
  const query = useQuery(strategyQuery(strategyId));
  return (
    <>
      <Heading title={query.data?.name ?? strategyId} />
      <Loaded query={query}>{(strategy) => <Shown key={strategy.id} strategy={strategy} />}</Loaded>
    </>
  );
}

function Shown({ strategy }: { strategy: RoutingStrategy }) {
  const { id, name, description, tags, routing, channels, providers, created, updated } = strategy;
  return (
    <>
      {description && <p>{description}</p>}
      <Facts
        facts={[
          [words.facts.id, id],
          [words.facts.tags, tags?.join(', ')],
          [words.facts.created, <Time at={created} />],
          [words.facts.changed, updated && <Time at={updated} />],
        ]}
      />
      <Archive id={id} />
      <Section title={words.routing}>
        <RoutingTree routing={routing} channels={channels} providers={providers} />
      </Section>
      <LinkedTemplates strategyId={id} />
      <Section title={words.json}>
        <JsonForm
          label={words.field}
          value={{ name, description, tags, routing, channels, providers }}
          submit={words.save}
          saved={words.saved}
          scope="write:routing-strategies"
          onSave={(fields) => replaceStrategy(id, fields as StrategyFields)}
        />
      </Section>
    </>
  );
}

function Archive({ id }: { id: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const missing = useMissingScope('write:routing-strategies');
  const navigate = useNavigate();
  const archive = useMutation({
    mutationFn: async () => {
      await archiveStrategy(id);
      // Before it is read again: it is no longer there.
      await navigate({ to: '/routing-strategies' });
    },
  });
  return (
    <ActionBar>
      <Action name={words.archive} missing={missing} onPress={() => setIsAsking(true)} />
      {isAsking && (
        <ConfirmDialog
          title={words.archiveTitle}
          confirm={words.confirmArchive}
          action={archive}
          onConfirm={() => archive.mutate()}
          onClose={() => setIsAsking(false)}
        >
          <p>{words.archiveHint}</p>
        </ConfirmDialog>
      )}
    </ActionBar>
  );
}
