import { CreateSealing1796500000000 } from '@tidings/persistence/sealing.migrations';
import { AddThrowOnMissingVariable1795900000000 } from './add-throw-on-missing-variable';
import { CreateBrands1764000000050 } from './create-brands';
import { CreateRoutingStrategies1764000002000 } from './create-routing-strategies';
import { CreateTemplates1764000002001 } from './create-templates';
import { CreateTenantTemplates1764000002002 } from './create-tenant-templates';
import { EscapeSealedTexts1796600000000 } from './escape-sealed-texts';
import { IndexEventMappings1764000002003 } from './index-event-mappings';
import { WatchChanges1796000000001 } from './watch-changes';

/** What makes the schema `content`, beside the outbox. */
export const CONTENT_MIGRATIONS = [
  CreateBrands1764000000050,
  CreateRoutingStrategies1764000002000,
  CreateTemplates1764000002001,
  CreateTenantTemplates1764000002002,
  IndexEventMappings1764000002003,
  AddThrowOnMissingVariable1795900000000,
  WatchChanges1796000000001,
  CreateSealing1796500000000,
  EscapeSealedTexts1796600000000,
] as const;
