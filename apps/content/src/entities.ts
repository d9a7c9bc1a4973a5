/** Every entity of the schema `content`. */
export { BrandEntity } from './brands/brand.entity';
export { EventMappingEntity } from './event-mappings/event-mapping.entity';
export { RoutingStrategyEntity } from './routing-strategy.entity';
export { TemplateStrategyEntity, TemplateTagEntity } from './templates/template-links.entity';
export { TemplateSubmissionEntity } from './templates/template-submission.entity';
export { TemplateVersionEntity } from './templates/template-version.entity';
export { TemplateEntity } from './templates/template.entity';
export { TenantTemplateEntity, TenantTemplateVersionEntity } from './tenant-templates/tenant-template.entity';
export { TranslationEntity } from './translations/translation.entity';
