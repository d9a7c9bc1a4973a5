export default [
  {
    id: 'runtime-secret-in-logged-error',
    category: 'sealing',
    breaks: 'An error that names a database or a mail server writes its password into the log.',
    file: 'libs/runtime/src/redact.ts',
    find: 'message: redactText(error.message),',
    replace: 'message: error.message,',
    suites: ['libs/runtime/src/logger'],
  },
  {
    id: 'runtime-living-lock-is-left-behind',
    category: 'leases',
    breaks: 'Two containers that share a volume start on the same data at once.',
    file: 'libs/runtime/src/data-directory.ts',
    find: "if (beat) return 'in use';",
    replace: "if (beat && holder.machine === machine) return 'in use';",
    suites: ['libs/runtime/src/data-directory'],
  },
  {
    id: 'runtime-short-secret-key',
    category: 'sealing',
    breaks: 'A secret key that is too short is accepted at the start, and every send fails.',
    file: 'libs/runtime/src/environment-values.ts',
    find: 'bytes?.length === SECRET_KEY_BYTES',
    replace: 'bytes && bytes.length <= SECRET_KEY_BYTES',
    suites: ['libs/runtime/src/configuration'],
  },
];
