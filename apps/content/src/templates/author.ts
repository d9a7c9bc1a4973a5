/** The author in answers: API keys are the only users that the interface knows. */
export const AUTHOR = 'api';
