import { ApiError, type ErrorObject, NoResponse } from '../../../../shared/client/errors.ts';

const titles: Readonly<Record<number, string>> = {
  401: 'You are signed out',
  403: 'Not permitted',
  404: 'Not found',
  409: 'Conflict with the current state',
  412: 'Changed meanwhile',
  413: 'The content is too large',
  422: 'Some values are not accepted',
  429: 'Too many requests',
  503: 'The service is busy',
};

/** Returns a heading for an error, for people. */
export const errorTitle = (error: unknown): string => {
  if (error instanceof NoResponse) return 'No response';
  if (error instanceof ApiError) {
    const isPermission = error.status === 404 && error.errors[0]?.detail !== undefined;
    return isPermission ? 'Not permitted' : (titles[error.status] ?? 'The service reports an error');
  }
  return 'Something went wrong in this page';
};

/** Explanations of errors without a detail, by status. */
const explanations: Readonly<Record<number, string>> = {
  404: 'It does not exist, or you may not see it.',
  412: 'Somebody else has changed it since you opened it.',
};

/** Returns the explanations of an error, one for each cause. */
export const errorDetails = (error: unknown): readonly string[] => {
  if (error instanceof ApiError) {
    const details = error.errors.flatMap(({ detail }) => (detail === undefined ? [] : [detail]));
    if (details.length > 0) return details;
    return [explanations[error.status] ?? `The service responded with status ${error.status}.`];
  }
  if (error instanceof NoResponse) return ['The service does not respond. Check your connection.'];
  return [error instanceof Error ? error.message : String(error)];
};

/** Returns the error objects of a failed request; one without a pointer for other errors. */
export const errorObjects = (error: unknown): readonly ErrorObject[] => {
  if (error === null || error === undefined) return [];
  if (error instanceof ApiError) {
    const objects =
      error.errors.length > 0 ? error.errors : [{ status: String(error.status), title: errorTitle(error) }];
    return objects.map((object) => ({ detail: explanations[error.status], ...object }));
  }
  return errorDetails(error).map((detail) => ({ status: '', title: errorTitle(error), detail }));
};
