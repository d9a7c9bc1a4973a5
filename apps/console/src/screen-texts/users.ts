/** Texts of the search for users. */
export const users = {
  search: 'Search users',
  searchHint: 'Beginning of an id, or a whole e-mail address, phone number or push token',
  columns: { id: 'User', name: 'Name', email: 'E-mail', phone: 'Phone', updated: 'Changed' },
  matched: { id: 'Users whose id begins so', address: 'Users with this address', token: 'Users with this push token' },
  none: 'No users yet',
  noneHint: 'Store a profile; sends then name the user alone.',
  noneFound: (query: string): string => `No user has the id, e-mail address, phone number or push token “${query}”.`,
  noneFoundHint: 'Addresses and tokens must be complete. A send to an address alone has no user: search the messages.',
  searchMessages: 'Search the messages',
} as const;
