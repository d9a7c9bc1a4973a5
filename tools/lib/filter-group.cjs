/** A filter of jest (`--filter`): of the suites it has found, those of the group that TEST_GROUP names. */
const { GROUPS, groupOf } = require('../test-plan.cjs');

module.exports = (files) => {
  const group = process.env.TEST_GROUP;
  if (!GROUPS.includes(group)) throw new Error(`TEST_GROUP is ${group}, and must be one of ${GROUPS.join(', ')}`);
  return { filtered: files.filter((file) => groupOf(file) === group) };
};
