export default [
  {
    id: 'kafka-password-breaks-its-quotes',
    category: 'escaping',
    breaks: 'A broker whose password holds a backslash refuses everybody.',
    file: 'tools/kafka/src/listener-security.ts',
    find: 'text.replaceAll(/["\\\\]/g,',
    replace: 'text.replaceAll(/["]/g,',
    suites: ['tools/kafka/src/listener-security'],
  },
];
