import {
  changeTypes,
  EXCHANGE_REFUSED,
  REQUEST_REJECTED,
  SIGN_IN_REFUSED,
  variableSetChangeTypes,
} from '../changes/change-records.ts';
import { isRecorded, organizationChangeTypes } from '../changes/organization-changes.ts';

/** All actions of entries of a history: the types of changes, rejected requests, refused exchanges and refused sign-ins. */
export const historyActions = [
  ...changeTypes,
  ...variableSetChangeTypes,
  ...organizationChangeTypes.filter(isRecorded),
  REQUEST_REJECTED,
  EXCHANGE_REFUSED,
  SIGN_IN_REFUSED,
] as const;
export type HistoryAction = (typeof historyActions)[number];
