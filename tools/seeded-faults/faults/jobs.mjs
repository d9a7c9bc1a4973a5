export default [
  {
    id: 'jobs-lease-not-renewed',
    category: 'leases',
    breaks: 'A call that is longer than its lease is made a second time beside the first.',
    file: 'libs/jobs/src/lease-renewer.ts',
    find: 'now - since >= ageMs',
    replace: 'now - since < ageMs',
    suites: ['apps/messaging/src/delivery/delivery'],
  },
  {
    id: 'jobs-work-renewed-too-late',
    category: 'leases',
    breaks: 'Work that is longer than its lease is claimed by two processes.',
    file: 'libs/jobs/src/lease-renewer.ts',
    find: 'now - since >= ageMs',
    replace: 'now - since >= this.times.leaseMs + ageMs',
    suites: ['libs/jobs/src/lease-renewer'],
  },
  {
    id: 'jobs-owners-not-round-robin',
    category: 'tenancy',
    breaks: 'A workspace with a million messages delays the messages of all others.',
    file: 'libs/jobs/src/round-robin.ts',
    find: 'const rows = await query();\n      this.crowded = rows.length === limit;',
    replace: 'const rows = await query();\n      this.crowded = rows.length > limit;',
    suites: ['apps/messaging/src/store/due-rows'],
  },
];
