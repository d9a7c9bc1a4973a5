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
  {
    id: 'kafka-makes-what-is-asked-for',
    category: 'validation',
    breaks: "A topic whose name is wrong is made with the broker's settings, and tests pass that must fail.",
    file: 'tools/kafka/src/server-properties.ts',
    find: "'auto.create.topics.enable': 'false',",
    replace: "'auto.create.topics.enable': 'true',",
    suites: ['libs/testing/src/kafka'],
  },
];
