/** Address of the gateway in the examples, as in README; the reference shows the address of its page instead. */
export const BASE_URL = 'http://127.0.0.1:8080';
/** The environment variable that has the API key. */
export const KEY_VARIABLE = 'TIDINGS_API_KEY';
