export default [
  {
    id: 'kafka-password-breaks-its-quotes',
    category: 'escaping',
    breaks: 'A broker whose password contains a backslash refuses every client.',
    file: 'tools/kafka/src/listener-security.ts',
    find: 'text.replaceAll(/["\\\\]/g,',
    replace: 'text.replaceAll(/["]/g,',
    suites: ['tools/kafka/src/listener-security'],
  },
  {
    id: 'kafka-creates-unknown-topics',
    category: 'validation',
    breaks: "A misspelt topic is created with the broker's settings, and tests pass that must fail.",
    file: 'tools/kafka/src/server-properties.ts',
    find: "'auto.create.topics.enable': 'false',",
    replace: "'auto.create.topics.enable': 'true',",
    suites: ['libs/testing/src/kafka'],
  },
];
