/** EventBridge source of the runner, which reports runs, configuration versions and releases. */
export const RUNNER = 'holdfast.runner';

/** EventBridge source of commands on the bus (AUTO-1). */
export const COMMANDS = 'holdfast.commands';
