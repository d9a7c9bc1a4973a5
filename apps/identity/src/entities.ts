import { PreferenceSectionEntity } from './preferences/preference-section.entity';
import { PreferenceTopicEntity } from './preferences/preference-topic.entity';

/** Every entity of the schema `identity`. */
export const IDENTITY_ENTITIES = [PreferenceSectionEntity, PreferenceTopicEntity];
