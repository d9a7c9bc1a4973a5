import type { components } from './schema';

type Schemas = components['schemas'];

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
