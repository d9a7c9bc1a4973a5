import { Module } from '@nestjs/common';
import { PreferenceSectionsHandlers } from './preference-sections.handlers';
import { PreferenceTopicsHandlers } from './preference-topics.handlers';
import { RecipientPreferencesHandlers } from './recipient-preferences.handlers';
import { UserPreferencesHandlers } from './user-preferences.handlers';

/** Sections and topics, and the choices of users. */
@Module({ controllers: [PreferenceSectionsHandlers, PreferenceTopicsHandlers, UserPreferencesHandlers, RecipientPreferencesHandlers] })
export class PreferencesModule {}
