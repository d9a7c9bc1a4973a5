/** Far above the longest token of any known push service. */
export const PUSH_TOKEN_LENGTH_MAX = 4_096;
/** Characters of the reason why a token is failed or revoked. */
export const TOKEN_REASON_LENGTH_MAX = 1_000;
