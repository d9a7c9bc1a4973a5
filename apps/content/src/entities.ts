import { BrandEntity } from './brands/brand.entity';
import { EventMappingEntity } from './event-mappings/event-mapping.entity';
import { RoutingStrategyEntity } from './routing-strategy.entity';
import { TemplateStrategyEntity } from './templates/template-strategy.entity';
import { TemplateSubmissionEntity } from './templates/template-submission.entity';
import { TemplateTagEntity } from './templates/template-tag.entity';
import { TemplateVersionEntity } from './templates/template-version.entity';
import { TemplateEntity } from './templates/template.entity';
import { TenantTemplateVersionEntity } from './tenant-templates/tenant-template-version.entity';
import { TenantTemplateEntity } from './tenant-templates/tenant-template.entity';
import { TranslationEntity } from './translations/translation.entity';

/** Every entity of the schema `content`. */
export const CONTENT_ENTITIES = [
  BrandEntity,
  EventMappingEntity,
  RoutingStrategyEntity,
  TemplateEntity,
  TemplateStrategyEntity,
  TemplateSubmissionEntity,
  TemplateTagEntity,
  TemplateVersionEntity,
  TenantTemplateEntity,
  TenantTemplateVersionEntity,
  TranslationEntity,
];
