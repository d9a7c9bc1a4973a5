import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { EVENT_ID_LENGTH_MAX } from '@tidings/contracts/content/event-mappings';
import type { PreviewContent } from '@tidings/contracts/content/previews';
import { TEMPLATE_ID_LENGTH_MAX } from '@tidings/contracts/content/template-fields';
import { ServiceError } from '@tidings/contracts/core/errors';
import { invalid, notFound } from '@tidings/contracts/core/refusals';
import { acceptedContent } from '@tidings/contracts/messaging/message-content';
import { assertTemplatesParse } from '@tidings/rendering/checks/template-check';
import { Database } from '@tidings/persistence/database';
import type { Content } from '@tidings/rendering/elemental/compile';
import { idOrNone, NO_ID } from '../id-or-none';
import { resolveNames } from '../sending/resolve-names';
import { MappedEvents } from '../templates/mapped-events';
import { elementalOf } from '../templates/template-version.entity';
import { readTemplate, TemplateEntity, TENANT_PREFIX } from '../templates/template.entity';
import { DRAFT, parseVersion, PUBLISHED, SHOWN, versionName } from '../templates/version-name';
import { findTenantTemplate, tenantVersionName } from '../tenant-templates/tenant-template.entity';
import { noTenantVersion } from '../tenant-templates/tenant-version';

/** The content of a preview. */
interface Previewed {
  readonly content: Content;
  /** Id of the template, or its requested name; empty for content of the request. */
  readonly templateId: string;
  /** `draft`, `v001`, a tenant's `v1`; absent for content of the request. */
  readonly version?: string;
  /** Whether it is a draft: content of the request, a template's draft, or a tenant's template that is not published. */
  readonly isDraft: boolean;
  /** The template's brand; `null`: none. Absent for content of the request and for templates of a tenant alone, which name no brand. */
  readonly brandId?: string | null;
  readonly topicId: string | null;
}

type ContentRequest = Pick<PreviewContent, 'template' | 'version' | 'content' | 'tenant_id'>;

/** Length of the longest id, alias or event id. */
const NAME_LENGTH_MAX = Math.max(TEMPLATE_ID_LENGTH_MAX, EVENT_ID_LENGTH_MAX);

/** Finds the content of a preview: by the names that a send may use, and in any version. */
@Injectable()
export class PreviewedContents {
  constructor(
    @InjectRepository(TemplateEntity) private readonly rows: Repository<TemplateEntity>,
    private readonly db: Database,
    private readonly events: MappedEvents,
  ) {}

  /** @throws ServiceError `not_found` for a template or version that does not exist, `invalid_request` for invalid content. */
  async of(workspaceId: string, { template, version, content, tenant_id }: ContentRequest): Promise<Previewed> {
    if (template && content) throw invalid('A preview takes template or content, not both');
    if (content) {
      if (version) throw invalid('version needs template, and the preview has content');
      const accepted = acceptedContent(content, 'content');
      assertTemplatesParse(accepted, 'content');
      return { content: accepted, templateId: '', isDraft: true, topicId: null };
    }
    if (!template) throw invalid('A preview needs template, or content (an object with title and body, or with elements)');
    return this.ofTemplate(workspaceId, template, parseVersion(version, SHOWN), tenant_id ?? undefined);
  }

  private async ofTemplate(workspaceId: string, name: string, version: number, tenantId: string | undefined): Promise<Previewed> {
    const isTenants = name.startsWith(TENANT_PREFIX);
    const ownName = isTenants ? name.slice(TENANT_PREFIX.length) : name;
    if (idOrNone(ownName, NAME_LENGTH_MAX) === NO_ID) throw noTemplateNamed(name);
    const [base] = await resolveNames(this.db, this.events, [{ workspaceId, name: ownName }]);
    const names = [...new Set([...(base ? [base.templateId] : []), ownName])];
    const tenants = tenantId === undefined ? undefined : await this.ofTenant(workspaceId, tenantId, names, version);
    if (!tenants && (isTenants || !base)) throw noTemplateNamed(name);
    if (!base) return { templateId: ownName, topicId: null, ...tenants! };
    const { shown } = await readTemplate(this.rows.manager, workspaceId, base.templateId, tenants ? SHOWN : version);
    return {
      templateId: base.templateId,
      brandId: shown.brandId,
      topicId: shown.topicId,
      content: elementalOf(shown),
      version: shown.version === DRAFT ? 'draft' : versionName(shown.version),
      isDraft: shown.version === DRAFT,
      ...tenants,
    };
  }

  /** The tenant's own version, if any; like a send, only a published one unless the request names a version. */
  private async ofTenant(
    workspaceId: string,
    tenantId: string,
    names: readonly string[],
    requested: number,
  ): Promise<Pick<Previewed, 'content' | 'version' | 'isDraft'> | undefined> {
    const wanted = requested === SHOWN ? PUBLISHED : requested; // tenant versions use the same numbers
    for (const templateId of names) {
      const row = await findTenantTemplate(this.rows.manager, { workspaceId, tenantId, templateId }, wanted);
      if (!row) continue;
      const { shown, publishedAt } = row;
      if (shown) return { content: shown.content, version: tenantVersionName(shown.version), isDraft: publishedAt === null };
      if (wanted !== PUBLISHED) throw noTenantVersion(tenantId, templateId, wanted);
    }
    return undefined;
  }
}

const noTemplateNamed = (name: string): ServiceError => notFound(`There is no template or event ${name}`);
