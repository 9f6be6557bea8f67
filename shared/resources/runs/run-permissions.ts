/** The actions that responses list with a run. */
export const runActions = ['is-cancelable', 'is-confirmable', 'is-discardable', 'is-force-cancelable'] as const;

/** The permissions that responses list with a run. */
export const runPermissions = [
  'can-apply',
  'can-cancel',
  'can-comment',
  'can-discard',
  'can-force-cancel',
  'can-force-execute',
  'can-override-policy-check',
] as const;
