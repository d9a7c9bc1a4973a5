import { invalid, notFound } from '@tidings/contracts/core/refusals';
import { type TenantTemplateNames, tenantVersionName } from './tenant-template.entity';

/** The version put last. */
export const LATEST = 0;
/** The published version. */
const PUBLISHED = -1;
/** The published version, or the latest where none is published. */
export const SHOWN = -2;

/** Parses `latest`, `published`, or a version such as `v1`. @throws ServiceError `invalid_request` for other texts. */
export function parseTenantVersion(text: string) {
  if (text === 'latest') return LATEST;
  if (text === 'published') return PUBLISHED;
  const digits = /^v0*([1-9]\d{0,8})$/.exec(text)?.[1];
  if (digits === undefined) {
    throw invalid(`version must be latest, published, or a version as v1 (got ${JSON.stringify(text.slice(0, 60))})`);
  }
  return Number(digits);
}

export function noTenantTemplate({ tenantId, templateId }: TenantTemplateNames) {
  return notFound(`Tenant ${tenantId} has no template ${templateId}`);
}

export function noTenantVersion({ tenantId, templateId }: TenantTemplateNames, requested: number) {
  const what = requested > 0 ? `has no version ${tenantVersionName(requested)}` : 'is not published';
  return notFound(`Template ${templateId} of tenant ${tenantId} ${what}`);
}
