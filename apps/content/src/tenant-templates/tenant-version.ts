import { notFound } from '@tidings/contracts/core/refusals';
import { versionOf } from '../templates/version-name';
import { type TenantTemplateNames, tenantVersionName } from './tenant-template.entity';

/** Parses `latest`, `published`, or a version such as `v1`. @throws ServiceError `invalid_request` for other texts. */
export function parseTenantVersion(text: string) {
  return versionOf(text, 'latest', 'v1', /^v0*([1-9]\d{0,8})$/);
}

/** The `not_found` error of a tenant's template; it is returned, not thrown. */
export function noTenantTemplate({ tenantId, templateId }: TenantTemplateNames) {
  return notFound(`Tenant ${tenantId} has no template ${templateId}`);
}

/** As `noTenantTemplate`, of a version or of a template without a published one. */
export function noTenantVersion({ tenantId, templateId }: TenantTemplateNames, requested: number) {
  const what = requested > 0 ? `has no version ${tenantVersionName(requested)}` : 'is not published';
  return notFound(`Template ${templateId} of tenant ${tenantId} ${what}`);
}
