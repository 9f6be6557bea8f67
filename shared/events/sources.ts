/** EventBridge source of the runner, which reports runs, configuration versions and releases. */
export const RUNNER = 'holdfast.runner';

/** EventBridge source of commands on the bus (AUTO-1). */
export const COMMANDS = 'holdfast.commands';

/** EventBridge source of snapshots (EVENT-20). Rules for changes and the archive do not select it. */
export const SNAPSHOTS = 'holdfast.snapshots';

/**
 * Pattern of the events that a member forwards to its hub (HUB-1): changes and snapshots of workspaces. Replayed events are
 * not forwarded, because they can be older than the tombstones of the hub.
 */
export const forwardedEvents = {
  source: ['holdfast', SNAPSHOTS],
  'detail-type': [{ prefix: 'workspace.' }, 'snapshot.completed'],
  'replay-name': [{ exists: false }],
} as const;

/** Pattern of the command that sends a snapshot (HUB-7). */
export const snapshotCommands = { source: [COMMANDS], 'detail-type': ['snapshot'] } as const;
