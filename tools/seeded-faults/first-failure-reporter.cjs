/** A jest reporter that sends each failure to run.mjs over the IPC channel as soon as it occurs. */
module.exports = class FirstFailureReporter {
  onTestCaseResult({ path: suite }, { status, fullName }) {
    if (status === 'failed') process.send?.({ suite, title: fullName });
  }

  onTestFileResult({ path: suite }, { numFailingTests, testExecError, failureMessage }) {
    if (numFailingTests > 0 || !failureMessage) return;
    const words = String(testExecError?.message ?? failureMessage)
      .split('\n')
      .filter(Boolean);
    process.send?.({ suite, title: words.slice(0, 3).join(' ').slice(0, 300), outside: true });
  }

  onRunComplete(_contexts, { numPassedTests, numRuntimeErrorTestSuites }) {
    process.send?.({ passed: numPassedTests, broken: numRuntimeErrorTestSuites });
  }
};
