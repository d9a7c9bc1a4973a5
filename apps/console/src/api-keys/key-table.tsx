import type { ReactNode } from 'react';
import type { ApiKey } from '../api/types';
import { apiKeys as words } from '../screen-texts/api-keys';
import { texts } from '../texts';
import { Badge, type Tone } from '../ui/status';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';

const { columns: headers } = words;
const TONES: Readonly<Record<ApiKey['status'], Tone>> = { active: 'good', ending: 'pending', expired: 'neutral', revoked: 'neutral' };
/** Scopes that a row names. */
const SHOWN_SCOPES_MAX = 3;

export function KeyStatus({ status }: { status: ApiKey['status'] }) {
  return <Badge tone={TONES[status]}>{words.statuses[status]}</Badge>;
}

/** The name of a key, or that it has none. */
export const titleOf = ({ name }: ApiKey): string => name ?? words.unnamed;

/** The last characters of a key. */
export const endOf = ({ hint }: ApiKey): string | undefined => (hint ? `…${hint}` : undefined);

function shortScopes({ scopes }: ApiKey): string {
  if (scopes.includes('*')) return words.everything;
  const rest = scopes.length - SHOWN_SCOPES_MAX;
  return [...scopes.slice(0, SHOWN_SCOPES_MAX), ...(rest > 0 ? [words.more(rest)] : [])].join(', ');
}

/** API keys. `link` leads from the title of one to its page. */
export function KeyTable({ keys, link }: { keys: readonly ApiKey[]; link: (key: ApiKey, title: string) => ReactNode }) {
  const columns: readonly Column<ApiKey>[] = [
    { header: headers.name, cell: (key) => link(key, titleOf(key)) },
    { header: headers.end, cell: (key) => <code>{endOf(key)}</code> },
    { header: headers.mode, cell: ({ mode }) => mode },
    { header: headers.scopes, cell: shortScopes },
    { header: headers.used, cell: ({ last_used_at: at }) => (at ? <Time at={Date.parse(at)} /> : words.never) },
    { header: headers.status, cell: ({ status }) => <KeyStatus status={status} /> },
    { header: headers.created, cell: ({ created_at: at }) => <Time at={Date.parse(at)} /> },
  ];
  return <Table name={texts.screens.apiKeys} columns={columns} rows={keys} keyOf={({ key_id: id }) => id} />;
}
