/** The longest that a push service is known to give out is far shorter. */
export const PUSH_TOKEN_LENGTH_MAX = 4_096;
/** Of why a token is failed or revoked. */
export const TOKEN_REASON_LENGTH_MAX = 1_000;
