import { Module } from '@nestjs/common';
import { PreferenceLogRetention } from './preference-log-retention';
import { PreferenceLogsHandlers } from './preference-logs.handlers';
import { PreferenceSectionsHandlers } from './preference-sections.handlers';
import { PreferenceTopicsHandlers } from './preference-topics.handlers';
import { RecipientChoicesHandlers } from './recipient-choices.handlers';
import { RecipientPreferencesHandlers } from './recipient-preferences.handlers';
import { UserPreferencesHandlers } from './user-preferences.handlers';

/** Sections and topics, the choices of users and their log. */
@Module({
  controllers: [
    PreferenceSectionsHandlers,
    PreferenceTopicsHandlers,
    UserPreferencesHandlers,
    RecipientPreferencesHandlers,
    RecipientChoicesHandlers,
    PreferenceLogsHandlers,
  ],
  providers: [PreferenceLogRetention],
})
export class PreferencesModule {}
