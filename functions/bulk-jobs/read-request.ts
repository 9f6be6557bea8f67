import type { JobSelection } from '../../shared/domain/bulk-jobs/bulk-job.ts';
import { DomainError, invalid } from '../../shared/domain/errors.ts';
import { limits } from '../../shared/domain/limits.ts';
import type { OperationRequest } from '../../shared/http/operation.ts';
import { readFilter } from '../../shared/list-index/filters.ts';
import { toQuery } from '../../shared/list-index/nested-query.ts';
import { actionDefinitions, type Parameters } from '../../shared/resources/bulk-jobs/action-requests.ts';
import { errorOf, findComplaint, type Validator } from '../../shared/schemas/error-messages.ts';

type Attributes = OperationRequest<'bulk-jobs.create'>['body']['data']['attributes'];

/** Stands for the workspace whose request is checked. */
const EXAMPLE = 'ws-CvpbqPPtsWSnyrTk';

/** Largest size of stored parameters and of a stored selection, in bytes. */
const STORED_BYTES = 64 * 1024;

const requireSize = (attribute: string, value: unknown): void => {
  if (Buffer.byteLength(JSON.stringify(value)) > STORED_BYTES) {
    throw invalid(attribute, `is too large (maximum is ${STORED_BYTES / 1024} KB)`);
  }
};

/**
 * Checks the parameters of an action with the schema of the request that they lead to (JOB-2).
 * @throws DomainError 422 with the place among the parameters.
 */
export const readParameters = (
  { action, parameters = {} }: Pick<Attributes, 'action' | 'parameters'>,
  validators: Readonly<Record<string, Validator>>,
): Parameters => {
  const { body, required, request, parameterAt } = actionDefinitions[action];
  const given = parameters as Parameters;
  for (const name of required) {
    if (given[name] === undefined || given[name] === null || given[name] === '') {
      throw invalid(`parameters.${name}`, `${name} can't be blank`);
    }
  }
  if (action === 'update' && Object.keys(given).length === 0) throw invalid('parameters', "Parameters can't be blank");
  if (action === 'update' && 'name' in given) {
    throw invalid('parameters.name', 'Name is unique in the organization, so a bulk job cannot set it');
  }
  if (action === 'set-variable' && given['sensitive'] === true) {
    throw invalid(
      'parameters.sensitive',
      'Sensitive variables cannot be set by a bulk job, because it would store the value in the clear. Use a value reference, or a variable set.',
    );
  }
  requireSize('parameters', given);
  const validate = body === undefined ? undefined : validators[body];
  const complaint = validate && findComplaint(validate, request(given, [EXAMPLE]).body);
  if (complaint === undefined) return given;
  const instancePath = `/data/attributes/parameters${parameterAt(complaint.instancePath)}`;
  throw errorOf({ ...complaint, instancePath });
};

/** Reads the selected workspaces. @throws DomainError 422 for a filter that the list would reject. */
export const readSelection = ({
  action,
  selection: { ids, filter, except },
}: Pick<Attributes, 'action' | 'selection'>): JobSelection => {
  if ((ids === undefined) === (filter === undefined)) {
    throw invalid('selection', 'Selection must have either ids or filter');
  }
  if (ids !== undefined && except !== undefined) throw invalid('selection.except', 'Except goes with a filter only');
  if (ids !== undefined) return { ids: [...new Set(ids)] };
  const given = filter as Readonly<Record<string, unknown>>;
  requireSize('selection', given);
  try {
    const query = toQuery(given);
    if (action === 'restore' && query.size > 0)
      throw new DomainError('bad-request', 'The list of deleted workspaces has no filters');
    readFilter(query);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw invalid('selection.filter', error.detail ?? 'is not a filter of the list');
  }
  return { filter: given, ...(except !== undefined && { except }) };
};

/** Rate of a job that states none, in workspaces per second. */
const USUAL_RATE = 50;

/** Reads the limits of a job. */
export const readLimits = ({ rate, 'max-failures': maxFailures, note }: Attributes) => ({
  rate: Math.min(rate ?? USUAL_RATE, limits.jobRate),
  maxFailures: maxFailures ?? null,
  note: note ?? null,
});
