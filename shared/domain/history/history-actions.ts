import { changeTypes, EXCHANGE_REFUSED, REQUEST_REJECTED, variableSetChangeTypes } from '../changes/change-records.ts';
import { organizationChangeTypes } from '../changes/organization-changes.ts';

/** All actions of entries of a history: the types of changes, rejected requests, and refused exchanges. */
export const historyActions = [
  ...changeTypes,
  ...variableSetChangeTypes,
  ...organizationChangeTypes,
  REQUEST_REJECTED,
  EXCHANGE_REFUSED,
] as const;
export type HistoryAction = (typeof historyActions)[number];
