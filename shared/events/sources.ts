/** Who speaks on the bus: whatever runs the infrastructure tool tells of runs, configurations and releases. */
export const RUNNER = 'holdfast.runner';
