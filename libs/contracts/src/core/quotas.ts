/** What a workspace may store a limited number of, by the quota's name. */
export const QUOTAS = {
  profiles: 'stored profiles',
  lists: 'lists',
  templates: 'templates',
  bulk_rows: 'rows in open bulk jobs',
  suppressions: 'suppressed addresses',
} as const;

export type QuotaName = keyof typeof QUOTAS;
export const QUOTA_NAMES = Object.keys(QUOTAS) as QuotaName[];

/** The quotas of a workspace; without one of a name there is no limit. */
export type Quotas = Partial<Record<QuotaName, number>>;
