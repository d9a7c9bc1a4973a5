/** The cookie with the id of a session. */
export const SESSION_COOKIE = 'tidings_session';
/** The header that requests with the cookie need, unless they are a GET. */
export const CSRF_HEADER = 'x-tidings-csrf';
/** The header, of any value, of requests that a page makes by itself: they are no use of the session. */
export const BACKGROUND_HEADER = 'x-tidings-background';
