import { changeTypes } from '../changes/change-records.ts';
import { organizationChangeTypes } from '../changes/organization-changes.ts';
import { REQUEST_REFUSED } from '../changes/refusals.ts';
import { variableSetChangeTypes } from '../changes/variable-set-changes.ts';

/** All actions of entries of a history: the types of changes, and refused requests. */
export const historyActions = [
  ...changeTypes,
  ...variableSetChangeTypes,
  ...organizationChangeTypes,
  REQUEST_REFUSED,
] as const;
export type HistoryAction = (typeof historyActions)[number];
