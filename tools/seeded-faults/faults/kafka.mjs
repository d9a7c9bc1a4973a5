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
    id: 'kafka-topics-made-by-accident',
    category: 'validation',
    breaks: 'A misspelled topic is made without a word, with one partition and one replica.',
    file: 'tools/kafka/src/server-properties.ts',
    find: "'auto.create.topics.enable': 'false',",
    replace: "'auto.create.topics.enable': 'true',",
    suites: ['tools/kafka/src/kafka-cluster'],
  },
];
