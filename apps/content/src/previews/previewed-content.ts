import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { PreviewContent } from '@tidings/contracts/content/previews';
import { invalid, notFound } from '@tidings/contracts/core/refusals';
import { acceptedContent } from '@tidings/contracts/messaging/message-content';
import { checkSentContent } from '@tidings/rendering/checks/template-check';
import { Database } from '@tidings/persistence/database';
import type { Content } from '@tidings/rendering/elemental/compile';
import { NO_ID } from '../id-or-none';
import { ownName, resolveName } from '../sending/resolve-names';
import { elementalOf } from '../templates/template-version.entity';
import { readTemplate, TENANT_PREFIX } from '../templates/template.entity';
import { DRAFT, parseVersion, PUBLISHED, SHOWN, versionName } from '../templates/version-name';
import { findTenantTemplate, noTenantVersion, tenantVersionName } from '../tenant-templates/tenant-template.entity';

/** The content of a preview. */
interface Previewed {
  readonly content: Content;
  /** The warnings that a send with content of the request has in its history. */
  readonly warnings?: readonly string[];
  /** Id of the template, or its requested name; empty for content without template. */
  readonly templateId: string;
  /** `draft`, `v001`, a tenant's `v1`; absent for content of the request. */
  readonly version?: string;
  /** Whether it is a draft: content of the request, a template's draft, or a tenant's template that is not published. */
  readonly isDraft: boolean;
  /** The template's brand; `null`: none. Absent for content without template and for templates of a tenant alone, which name no brand. */
  readonly brandId?: string | null;
  readonly topicId: string | null;
  /** Whether a missing variable is an error; absent: false. */
  readonly throwOnMissingVariable?: boolean;
}

/** What content of the request alone has of a template. */
const NO_TEMPLATE = { templateId: '', topicId: null };

/** Finds the content of a preview: by the names that a send may use, and in any version. */
@Injectable()
export class PreviewedContents {
  constructor(
    private readonly dataSource: DataSource,
    private readonly database: Database,
  ) {}

  /** @throws ServiceError `not_found` for a template or version that does not exist, `invalid_request` for invalid content. */
  async of(workspaceId: string, { template, version, content, tenant_id }: PreviewContent): Promise<Previewed> {
    if (content) {
      if (version) throw invalid('version names stored content, and the preview has content');
      const own = template ? await this.ofTemplate(workspaceId, template, undefined, tenant_id ?? undefined) : NO_TEMPLATE;
      const accepted = acceptedContent(content, 'content');
      return { ...own, version: undefined, content: accepted, warnings: checkSentContent(accepted, 'content'), isDraft: true };
    }
    if (!template) throw invalid('A preview needs template, or content (an object with title and body, or with elements)');
    return this.ofTemplate(workspaceId, template, version, tenant_id ?? undefined);
  }

  private async ofTemplate(workspaceId: string, name: string, sent: string | null | undefined, tenantId: string | undefined) {
    const version = parseVersion(sent, SHOWN);
    const own = ownName(name);
    const templateId = own === NO_ID ? undefined : await resolveName(this.database, workspaceId, own);
    const names = new Set([templateId ?? own, own]);
    const tenants = tenantId === undefined || own === NO_ID ? undefined : await this.ofTenant(workspaceId, tenantId, names, sent);
    if (!tenants && (name.startsWith(TENANT_PREFIX) || !templateId)) throw notFound(`There is no template or event ${name}`);
    if (!templateId) return { templateId: own, topicId: null, ...tenants! };
    const { shown } = await readTemplate(this.dataSource.manager, workspaceId, templateId, tenants ? SHOWN : version, sent);
    return {
      templateId,
      brandId: shown.brandId,
      topicId: shown.topicId,
      throwOnMissingVariable: shown.throwOnMissingVariable,
      content: elementalOf(shown),
      version: versionName(shown.version),
      isDraft: shown.version === DRAFT,
      ...tenants,
    };
  }

  /** The tenant's own version, if any; like a send, only a published one unless the request names a version. */
  private async ofTenant(workspaceId: string, tenantId: string, names: ReadonlySet<string>, sent: string | null | undefined) {
    const requested = parseVersion(sent, SHOWN);
    const wanted = requested === SHOWN ? PUBLISHED : requested; // tenant versions use the same numbers
    for (const templateId of names) {
      const row = await findTenantTemplate(this.dataSource.manager, { workspaceId, tenantId, templateId }, wanted);
      if (!row) continue;
      const { shown, publishedAt } = row;
      if (shown) return { content: shown.content, version: tenantVersionName(shown.version), isDraft: publishedAt === null };
      if (wanted !== PUBLISHED) throw noTenantVersion({ workspaceId, tenantId, templateId }, wanted, sent);
    }
    return undefined;
  }
}
