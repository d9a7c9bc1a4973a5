/** A path of the interface about a user, whose id may have any characters. */
export const profilePath = (userId: string): string => `/profiles/${encodeURIComponent(userId)}`;
export const userPath = (userId: string): string => `/users/${encodeURIComponent(userId)}`;
