import { changeTypes, REQUEST_REJECTED, variableSetChangeTypes } from '../changes/change-records.ts';
import { organizationChangeTypes } from '../changes/organization-changes.ts';

/** All actions of entries of a history: the types of changes, and rejected requests. */
export const historyActions = [
  ...changeTypes,
  ...variableSetChangeTypes,
  ...organizationChangeTypes,
  REQUEST_REJECTED,
] as const;
export type HistoryAction = (typeof historyActions)[number];
