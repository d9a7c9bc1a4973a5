import type { components, operations } from './schema';

type Schemas = components['schemas'];

/** The JSON body that an operation takes. */
export type BodyOf<Id extends keyof operations> = operations[Id] extends { requestBody?: { content: { 'application/json': infer Body } } }
  ? Body
  : never;

export type Session = Schemas['ConsoleSession'];
export type Message = Schemas['MessageDetails'];
export type Explanation = Schemas['MessageExplanation'];
export type Decision = Schemas['ExplainedDecision'];
export type DecisionSubject = Schemas['DecisionSubject'];
export type NextAttempt = Schemas['NextAttempt'];
export type FoundUser = Schemas['FoundUser'];
export type SeriesPoint = Schemas['SeriesPoint'];
export type DeadLetter = Schemas['DeadLetterSummary'];
export type DeadLetterRecord = Schemas['DeadLetterRecord'];
export type ProviderHealth = Schemas['ProviderHealth'];
export type ListedTemplate = Schemas['NotificationV1'];
export type Template = Schemas['Template'];
export type TemplateVersion = Schemas['VersionNode'];
export type PreviewOutput = Schemas['PreviewOutput'];
export type Brand = Schemas['Brand'];
export type TranslationSummary = Schemas['TranslationSummary'];
export type PreferenceSection = Schemas['PreferenceSection'];
export type PreferenceTopic = Schemas['PreferenceTopic'];
export type LastPublication = Schemas['LastPublication'];
export type RoutingStrategy = Schemas['RoutingStrategy'];
export type RoutingStrategySummary = Schemas['RoutingStrategySummary'];
export type List = Schemas['List'];
export type Subscription = Schemas['Subscription'];
export type Audience = Schemas['Audience'];
export type AudienceMember = Schemas['AudienceMember'];
export type AudienceCount = Schemas['AudienceCount'];
export type BulkJobSummary = Schemas['BulkJobSummary'];
export type BulkJobProgress = Schemas['BulkJobProgress'];
export type BulkUser = Schemas['ListedBulkUser'];
export type DryRun = Schemas['DryRun'];
export type DryRunRecipient = Schemas['DryRunRecipient'];
export type ApiKey = Schemas['KeySummary'];
export type AuditEvent = Schemas['AuditEvent'];
export type Suppression = Schemas['Suppression'];
export type Webhook = Schemas['Webhook'];
export type WebhookDelivery = Schemas['WebhookDelivery'];
export type Workspace = Schemas['Workspace'];
