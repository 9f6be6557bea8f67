/** EventBridge source of the runner, which reports runs, configuration versions and releases. */
export const RUNNER = 'holdfast.runner';
